package doctor

import (
	"testing"

	"parley.dev/parley/internal/app"
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

// TestExamineNeeded: what the settings need of a program that is missing is a finding, and no reason to end without one.
func TestExamineNeeded(t *testing.T) {
	missing := func(string) (string, error) { return "", companion.ErrMissing }
	installed := func(name string) (string, error) { return "/bin/" + name, nil }
	needed := &app.ElsewhereError{What: "a store on NATS"}
	f, ok := examineNeeded(cli.Failed(needed), missing)
	if want := "a store on NATS needs parley-host: " + companion.ErrMissing.Error(); !ok || f.OK || !f.Required || f.Detail != want || f.Fix == "" {
		t.Errorf("%v, %+v", ok, f)
	}
	if f, ok := examineNeeded(needed, installed); ok {
		t.Errorf("it is installed: %+v", f)
	}
	if f, ok := examineNeeded(companion.ErrMissing, missing); ok {
		t.Errorf("another error: %+v", f)
	}
}
