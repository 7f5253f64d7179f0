package program

import (
	"strings"
	"testing"
)

func TestPersona(t *testing.T) {
	for args, want := range map[string]string{
		"/usr/bin/parley scaiflux serve": "scaiflux serve",
		"/usr/bin/scaiflux serve":        "scaiflux serve",
		"scaiflux.exe serve":             "scaiflux serve",
		"/usr/bin/omp --mode rpc":        "pisces --mode rpc",
		"/opt/codex app-server":          "codex app-server",
		"agent-air --cwd /x":             "agentair --cwd /x",
		"./something run x":              "run x",
	} {
		if got := strings.Join(personaArgs(strings.Fields(args)), " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
