package host

import (
	"bufio"
	"fmt"
	"net"
	"testing"
)

// TestReportWaiting: a process that stops a host reports for how many sessions the host waits, and nothing if none works or the host ends.
func TestReportWaiting(t *testing.T) {
	session := func(id, status string, open bool) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"host/session","params":{"session":%q,"open":%t,"status":%q}}`+"\n", id, open, status)
	}
	const closing = `{"jsonrpc":"2.0","method":"host/closing","params":{"in_ms":30000}}` + "\n"
	for _, c := range []struct {
		name, lines string
		ends        bool
		want        string
	}{
		{"two work", session("a", "working", true) + session("b", "idle", true) + closing + session("c", "waiting", true), false, "{2 1 30s}"},
		{"idle", session("a", "idle", true) + closing, false, ""},
		{"turns end", session("a", "working", true) + closing + session("a", "idle", true), false, ""},
		{"closed", session("a", "working", true) + closing + session("a", "working", false), false, ""},
		{"host ends", session("a", "working", true) + closing, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn, host := net.Pipe()
			defer host.Close()
			got := ""
			done := make(chan struct{})
			go func() {
				defer close(done)
				reportWaiting(conn, bufio.NewReader(conn), func(w Waiting) { got = fmt.Sprint(w) })
			}()
			if _, err := host.Write([]byte(c.lines)); err != nil {
				t.Fatal(err)
			}
			if c.ends {
				host.Close()
			}
			<-done
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
