package host

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
)

// TestDoctor: parley doctor reports the host of the state folder with its socket, process and clients, or that there is
// none.
func TestDoctor(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hi.\n")
	if f := doctorsHost(t, p); !f.OK || !strings.HasPrefix(f.Detail, "none runs") {
		t.Errorf("without a host: %+v", f)
	}
	s := serve(t, p)
	s.client("a")
	want := fmt.Sprintf("(process %d) at %s, 0 sessions open, 1 client", s.ready.PID, s.socket)
	if f := doctorsHost(t, p); !f.OK || !strings.HasSuffix(f.Detail, want) {
		t.Errorf("with a host: %+v, want …%s", f, want)
	}
}

// A finding is a line of parley doctor --json.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// doctorsHost returns what doctor finds about the host.
func doctorsHost(t *testing.T, p *stage.Place) finding {
	t.Helper()
	out, err := p.Command(t, "doctor", "--json").Output()
	var findings []finding
	if e := json.Unmarshal(out, &findings); e != nil {
		t.Fatalf("%v, %v: %s", err, e, out)
	}
	for _, f := range findings {
		if f.Check == "host" {
			return f
		}
	}
	t.Fatalf("doctor has no line about the host: %s", out)
	return finding{}
}
