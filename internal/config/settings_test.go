package config

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/config/configtest"
)

func TestSettingsLayers(t *testing.T) {
	path := configtest.File(t, `{
	// comments and trailing commas are allowed
	"model": "from/file",
	"permission_mode": "read-only",
	"private_network": true,
}`)
	s, err := Load(configtest.Environment("PARLEY_CONFIG", path, "PARLEY_MODEL", "from/env", "HOME", "/home/x"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{
		"home":            {"/home/x/.local/state/parley", "default"},
		"model":           {"from/env", "PARLEY_MODEL"},
		"permission_mode": {"read-only", path},
		"private_network": {"true", path},
		"log":             {"warn", "default"},
	}
	for _, row := range s.Rows() {
		if w, ok := want[row.Setting]; ok && (row.Value != w[0] || row.From != w[1]) {
			t.Errorf("%s = %q from %s, want %q from %s", row.Setting, row.Value, row.From, w[0], w[1])
		}
	}
}

// TestSettingsRefuse: an error names the line, the setting, and the known one that is most like it,
// and speaks of JSON instead of Go.
func TestSettingsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"\n\n" + `{"modle": "x"}`:             `:3: there is no setting "modle"; did you mean "model"?`,
		"{\n" + `"model": 1}`:                 `:2: model: expected a string, found a number`,
		`{"model": "a"`:                       `:1: parsing object after value: unexpected end of the file`,
		`{"model": "a", "model": "b"}`:        `:1: model: it is there twice`,
		`{"search": {"api": "q"}}`:            `:1: search: there is no search API "q"`,
		`["model"]`:                           `:1: expected an object, found a list`,
		`null`:                                `:1: expected an object, found null`,
		`{"host": {"wait": "soon"}}`:          `:1: host.wait: cannot read "soon": expected a time such as 24h`,
		`{"host": {"wait": "-1h"}}`:           `:1: host.wait: cannot read "-1h": expected a time such as 24h`,
		`{"subagents": {"depth": 1.5}}`:       `:1: subagents.depth: expected a whole number, found 1.5`,
		`{"budget": {"max_wall_time": "30"}}`: `:1: budget: max_wall_time: cannot read "30": expected a time such as 30m`,
		"{\"budget\": {\n\"task\": {\"max_tool_calls\": -1}}}":                                        `:2: budget.task: tool_calls: want a number above 0`,
		`{"budget": {"max_tool_cals": 1}}`:                                                            `:1: there is no setting "budget.max_tool_cals"; did you mean "max_tool_calls"?`,
		`{"budget": {"warn_at_ratio": 1.5}}`:                                                          `:1: budget: warn_at: want a number from 0 to 1`,
		"{\"trusted_folders\": [\"/a\",\n\"code\"]}":                                                  `:2: trusted_folders[1]: "code" is neither absolute nor below ~/`,
		`{"skills_paths": ["skills"]}`:                                                                `:1: skills_paths[0]: "skills" is neither absolute nor below ~/`,
		`{"permission_mode": "all"}`:                                                                  `:1: permission_mode: unknown permission mode "all": expected read-only, plan, workspace-write, prompt or danger-full-access`,
		`{"log": "loud"}`:                                                                             `:1: log: unknown level "loud": expected error, warn, info or debug`,
		"{\"log\": \"loud\",\n\"providers\": {\"x\": {\"api\": \"soap\"}}}":                           `:2: providers.x.api: unknown value "soap"`,
		`{"openai_api": "soap"}`:                                                                      `:1: openai_api: unknown value "soap": expected responses or chat`,
		`{"providers": {"x": {"profile": "acme"}}}`:                                                   `providers.x.profile: unknown value "acme": expected one of openai, azure`,
		`{"providers": {"x": {"api": "anthropic", "profile": "openai"}}}`:                             `providers.x.profile: a provider with the api anthropic has no profile`,
		`{"providers": {"x": {"key": "sk-12345"}}}`:                                                   `:1: there is no setting "providers.x.key"`,
		`{"providers": {"x": {"api_key": "sk-12345"}}}`:                                               `; did you mean "api_key_env"?`,
		`{"mcp_servers": {"a": {}}}`:                                                                  `:1: mcp_servers.a: give either command or url`,
		`{"hooks": {"befor_tool": []}}`:                                                               `:1: hooks.befor_tool: there is no such moment or event; did you mean "before_tool"?`,
		`{"hooks": {"before_tool": [{"comand": "x"}]}}`:                                               `there is no setting "hooks.before_tool[0].comand"; did you mean "command"?`,
		"{\"hooks\": {\"before_tool\": [{\"command\": \"x\"},\n{}]}}":                                 `:2: hooks.before_tool[1]: there is no command`,
		`{"hooks": {"turn_end": [{"command": "x", "match": "bash"}]}}`:                                `:1: hooks.turn_end[0]: match`,
		`{"hooks": {"after_tool": [{"command": "x", "match": "(b"}]}}`:                                `:1: hooks.after_tool[0]: match`,
		`{"hooks": {"PreToolUs": []}}`:                                                                `:1: hooks.PreToolUs: there is no such moment or event; did you mean "PreToolUse"?`,
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "http"}]}]}}`:                                  `:1: hooks.PreToolUse[0].hooks[0]: type: "http" is not supported`,
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "asnc": true}]}]}}`: `hooks.PreToolUse[0].hooks[0]: there is no setting "asnc"`,
		`{"hooks": {"PreToolUse": {"hooks": []}}}`:                                                    `:1: hooks.PreToolUse: expected a list, found an object`,
		`{"mcp_servers": {"a": "npx"}}`:                                                               `:1: mcp_servers.a: expected an object, found a string`,
	} {
		path := configtest.File(t, text)
		_, err := Load(configtest.Environment("PARLEY_CONFIG", path))
		switch {
		case err == nil:
			t.Errorf("%s: no error", text)
		case !strings.HasPrefix(err.Error(), path+":"), !strings.Contains(err.Error(), want), strings.Contains(err.Error(), "Go "), strings.Contains(err.Error(), "sk-"):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for variable, want := range map[string]string{
		"PARLEY_PERMISSION_MODE=all":      `PARLEY_PERMISSION_MODE: unknown permission mode "all"`,
		"PARLEY_LOG=loud":                 `PARLEY_LOG: unknown level "loud"`,
		"PARLEY_PRIVATE_NETWORK=yes":      `PARLEY_PRIVATE_NETWORK: cannot read "yes": expected true or false`,
		"PARLEY_TRUSTED_FOLDERS=/a:below": `PARLEY_TRUSTED_FOLDERS: "below" is neither absolute`,
	} {
		name, value, _ := strings.Cut(variable, "=")
		if _, err := Load(configtest.Environment(name, value)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", variable, err, want)
		}
	}
}

// TestSettingsEmpty: a file without a value has no settings.
func TestSettingsEmpty(t *testing.T) {
	for _, text := range []string{"", " \n\t", "// nothing yet\n", "/* nothing */", "{}"} {
		s, err := Load(configtest.Environment("PARLEY_CONFIG", configtest.File(t, text)))
		if err != nil || s.Log != "warn" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSettingsDefaults(t *testing.T) {
	s, err := Load(configtest.Environment("HOME", t.TempDir()))
	if err != nil || s.PermissionMode != approval.WorkspaceWrite {
		t.Errorf("defaults = %+v, %v", s.Settings, err)
	}
}
