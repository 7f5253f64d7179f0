package doctor

import (
	"testing"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/companion"
)

// TestExamineCompanions: a program that is missing is named with what needs it, and a fix.
func TestExamineCompanions(t *testing.T) {
	for name, test := range map[string]struct {
		installed []string
		want      cli.Finding
	}{
		"all": {[]string{companion.Console, companion.Host}, cli.Finding{OK: true, Detail: "/bin/parley-console, /bin/parley-host"}},
		"one": {[]string{companion.Console}, cli.Finding{
			Detail: "parley-host is not installed (batches, stores on NATS, and telemetry)", Fix: "copy it beside parley, from the same release; make build builds all programs",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			test.want.Check = "programs"
			got := examineCompanions(func(name string) (string, error) {
				for _, installed := range test.installed {
					if installed == name {
						return "/bin/" + name, nil
					}
				}
				return "", companion.ErrMissing
			})
			if got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}
