package doctor

import (
	"errors"
	"os"
	"strings"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/companion"
)

// companions are the programs beside parley, with what needs them.
var companions = []struct{ name, use string }{
	{companion.Console, "parley tui, and pages of sessions"},
	{companion.Host, "batches, stores on NATS, and telemetry"},
}

// findCompanion returns the path of a program beside this one.
func findCompanion(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return companion.Find(name, self)
}

const companionFix = "copy it beside parley, from the same release; make build builds all programs"

// examineNeeded returns a finding if an error reports that the settings need parley-host, and it is not installed: then nothing else can be
// checked.
func examineNeeded(err error, find func(name string) (string, error)) (f cli.Finding, missing bool) {
	needed, ok := errors.AsType[*app.ElsewhereError](err)
	if !ok {
		return f, false
	}
	if _, err = find(companion.Host); err == nil { // it is executed
		return f, false
	}
	return cli.Finding{Check: "programs", Detail: needed.What + " needs " + companion.Host + ": " + err.Error(), Fix: companionFix, Required: true}, true
}

// examineCompanions checks whether the programs beside parley are installed.
func examineCompanions(find func(name string) (string, error)) cli.Finding {
	var paths, missing []string
	for _, c := range companions {
		if path, err := find(c.name); err == nil {
			paths = append(paths, path)
		} else {
			missing = append(missing, c.name+" is not installed ("+c.use+")")
		}
	}
	if len(missing) == 0 {
		return cli.Finding{Check: "programs", OK: true, Detail: strings.Join(paths, ", ")}
	}
	return cli.Finding{
		Check: "programs", Detail: strings.Join(missing, ", "), Fix: companionFix,
	}
}
