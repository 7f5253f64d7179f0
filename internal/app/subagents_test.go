package app

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/engine"
)

// TestSubagentSettings: there are none unless the file or the variable says so.
func TestSubagentSettings(t *testing.T) {
	file := configtest.File(t, `{"subagents": {"concurrency": 2, "depth": 3, "isolation": true, "branches": true, "verification": {
		"default_profile": "ci", "required": true, "max_retries": 1, "profiles": {"ci": {"commands": []}}}}}`)
	whole := &engine.TaskSettings{
		Concurrency: 2, Depth: 3, Spawns: []string{"*"}, Isolation: true, Branches: true, BranchPrefix: "task/",
		Verify: engine.VerifySettings{
			Enabled: true, RequireIsolated: true, DefaultProfile: "ci", Retries: 1, Profiles: map[string]jsontext.Value{"ci": jsontext.Value(`{"commands": []}`)},
		},
	}
	more := *whole
	more.Concurrency = 9
	for _, test := range []struct {
		name, file, variable string
		want                 *engine.TaskSettings
	}{
		{"neither", "", "", nil},
		{"an empty object", configtest.File(t, `{"subagents": {}}`), "", &engine.TaskSettings{Concurrency: 4, Depth: 1, Spawns: []string{"*"}, BranchPrefix: "task/"}},
		{"the file", file, "", whole},
		{"both", file, "9", &more},
		{"off", file, "0", nil},
		{"the variable", "", "2", &engine.TaskSettings{Concurrency: 2, Depth: 1, Spawns: []string{"*"}, BranchPrefix: "task/"}},
	} {
		s, err := config.Load(configtest.Environment("PARLEY_CONFIG", test.file, "PARLEY_SUBAGENTS", test.variable, "HOME", "/home/x"))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, taskSettings(s.Subagents)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for _, value := range []string{"many", "-1"} {
		if _, err := config.Load(configtest.Environment("PARLEY_SUBAGENTS", value, "HOME", "/home/x")); err == nil {
			t.Errorf("%s is taken", value)
		}
	}
	if _, err := config.Load(configtest.Environment("PARLEY_CONFIG", configtest.File(t, `{"subagents": {"depth": -1}}`), "HOME", "/home/x")); err == nil {
		t.Error("a depth below 0 is taken")
	}
}
