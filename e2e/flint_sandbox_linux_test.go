package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// TestFlintSandbox: what a sandbox forbids does not happen, though no user is asked; with full
// access it does.
func TestFlintSandbox(t *testing.T) {
	t.Parallel()
	report := newPlace(t).Command(t, "doctor")
	if out, _ := report.CombinedOutput(); !strings.Contains(string(out), "Landlock") && !strings.Contains(string(out), "bubblewrap") {
		t.Skipf("this machine confines no commands:\n%s", out)
	}
	for _, test := range []struct {
		sandbox       string
		writes, dials bool // succeed outside the workspace, and to this machine
		writesInside  bool
	}{
		{`{"type":"workspaceWrite"}`, false, false, true},
		{`{"type":"workspaceWrite","networkAccess":true}`, false, true, true},
		{`{"type":"readOnly"}`, false, false, false},
		{`{"type":"externalSandbox"}`, true, true, true},
		{`{"type":"dangerFullAccess"}`, true, true, true},
	} {
		t.Run(test.sandbox, func(t *testing.T) {
			t.Parallel()
			outside, err := os.MkdirTemp("/var/tmp", "parley-e2e-") // the temporary folders are inside
			if err != nil {
				t.Skip("there is no folder outside:", err)
			}
			t.Cleanup(func() { os.RemoveAll(outside) })
			arrived, port := listen(t)
			p := newPlace(t)
			f := p.flint(t, fmt.Sprintf("call shell {\"command\":\"echo x > %s/made\"}\nnext\ncall shell {\"command\":\"exec 3<>/dev/tcp/127.0.0.1/%d\"}\nnext\ncall shell {\"command\":\"echo x > made\"}\nnext\ntext Done.\n", outside, port))
			items := f.Work(f.StartThread(fmt.Sprintf(`{"approvalPolicy":"never","sandbox":%s}`, test.sandbox)))
			f.Quit()
			if len(items) != 5 {
				t.Fatalf("%+v", items)
			}
			for i, want := range []bool{test.writes, test.dials, test.writesInside} {
				it := items[i+1]
				if it.ExitCode == nil || (*it.ExitCode == 0) != want || (it.Status == "completed") != want {
					t.Errorf("command %d: %+v", i, it)
				}
			}
			for path, want := range map[string]bool{filepath.Join(outside, "made"): test.writes, filepath.Join(p.Work, "made"): test.writesInside} {
				if _, err := os.Stat(path); (err == nil) != want {
					t.Errorf("%s: %v", path, err)
				}
			}
			if test.dials {
				stage.Await(t, arrived, "the connection")
			} else if len(arrived) > 0 {
				t.Error("there was a connection")
			}
		})
	}
}

// listen reports each connection to a port of this machine.
func listen(t *testing.T) (arrived <-chan struct{}, port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	connections := make(chan struct{}, 16)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
			connections <- struct{}{}
		}
	}()
	return connections, l.Addr().(*net.TCPAddr).Port
}
