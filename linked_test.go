package parley_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What only some programs link: what it initialises would cost each start of the others, and what it compiles each build.
var (
	consoleOnly = []string{
		"github.com/yuin/goldmark", "github.com/alecthomas/chroma", "github.com/dlclark/regexp2",
		module + "internal/highlight", module + "internal/export/html",
	}
	hostOnly = []string{
		"modernc.org", "github.com/nats-io", "github.com/klauspost", "go.opentelemetry.io",
		module + "internal/batch", module + "internal/journal/jetstream", module + "internal/stream", module + "internal/cluster", module + "internal/storemetric",
		module + "internal/telemetry",
	}
	// values are below packages of hostOnly, and link none of them.
	values = []string{module + "internal/stream/address", module + "internal/cluster/peer", module + "internal/cluster/tunnel", module + "internal/telemetry/target"}
)

// TestLinked: no program links what is for another one.
func TestLinked(t *testing.T) {
	for program, others := range map[string][]string{
		"parley":         slices.Concat(consoleOnly, hostOnly),
		"parley-host":    consoleOnly,
		"parley-console": hostOnly,
	} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/"+program).Output()
		if err != nil {
			t.Fatal(err)
		}
		for path := range strings.FieldsSeq(string(out)) {
			for _, only := range others {
				if (path == only || strings.HasPrefix(path, only+"/")) && !slices.Contains(values, path) {
					t.Errorf("cmd/%s links %s, which is for another program", program, path)
				}
			}
		}
	}
}
