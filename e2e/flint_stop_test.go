package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// flintRunning returns a process whose turn runs a command.
func flintRunning(t *testing.T, command string) (p *place, f *client.Flint, h *stage.Held, thread, turn string) {
	t.Helper()
	p = newPlace(t)
	h = stage.Holding(t, p.Work)
	f = p.flint(t, "text Begun.\ncall shell {\"command\":\""+command+"\"}\nnext\ntext Here.\n", "--approval-policy", "never", "--sandbox", "dangerFullAccess")
	thread = f.StartThread(`{}`)
	turn = f.Begin(thread)
	h.Started()
	return p, f, h, thread, turn
}

// TestFlintSignals: a signal interrupts the turn, whose end is sent, and ends the process
// and all that it started. The exit code is 130 for SIGINT and 0 for SIGTERM.
func TestFlintSignals(t *testing.T) {
	t.Parallel()
	for code, sig := range map[int]syscall.Signal{0: syscall.SIGTERM, 130: syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			_, f, h, _, _ := flintRunning(t, stage.Family)
			f.Signal(sig)
			if end := f.UntilMethod("turn/completed"); end.Params.Turn.Status != "interrupted" {
				t.Errorf("%s", end.Raw)
			}
			if line, more := f.Next(); more {
				t.Errorf("after the end comes %s", line.Raw)
			}
			if got := f.Code(); got != code {
				t.Errorf("exit code %d, want %d", got, code)
			}
			h.WantGone()
		})
	}
}

// TestFlintClose is how the clients of this protocol end a process: they close its input and
// send SIGTERM in the same moment.
func TestFlintClose(t *testing.T) {
	t.Parallel()
	_, f, h, _, _ := flintRunning(t, stage.Family)
	f.Stdin.Close()
	f.Signal(syscall.SIGTERM)
	if end := f.UntilMethod("turn/completed"); end.Params.Turn.Status != "interrupted" {
		t.Errorf("%s", end.Raw)
	}
	f.Drain()
	if got := f.Code(); got != 0 {
		t.Errorf("exit code %d", got)
	}
	h.WantGone()
}

// TestFlintSecondSignal: a second signal ends the process at once, and nothing is left.
func TestFlintSecondSignal(t *testing.T) {
	t.Parallel()
	_, f, h, _, _ := flintRunning(t, stage.Stubborn)
	signalTwice(t, f.Conn, h, syscall.SIGINT, 130)
}

// TestFlintInterruptTwice: while an interrupted turn settles, since its command does not
// want to end, a second interrupt is answered like the first; the turn ends once.
func TestFlintInterruptTwice(t *testing.T) {
	t.Parallel()
	_, f, h, thread, turn := flintRunning(t, stage.Stubborn)
	begun := time.Now()
	params := fmt.Sprintf(`{"threadId":%q,"turnId":%q}`, thread, turn)
	f.Call("turn/interrupt", params)
	h.Asked()
	f.Call("turn/interrupt", params)
	end := f.UntilMethod("turn/completed")
	t.Logf("a command that ignores SIGTERM is gone after %s", time.Since(begun).Round(10*time.Millisecond))
	if items := f.Items(end.Params.Turn); end.Params.Turn.Status != "interrupted" || items[len(items)-1].Status != "failed" {
		t.Errorf("%s", end.Raw)
	}
	h.WantGone()
	if again := f.Request("turn/interrupt", params); again.Error == nil || again.Error.Code != -32003 {
		t.Errorf("%s", again.Raw)
	}
	f.Quit()
}

// TestFlintReaderGone: when the client stops reading, the turn is interrupted and saved, and the
// process ends with 1.
func TestFlintReaderGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	h := stage.Holding(t, p.Work)
	f := p.flint(t, "call shell {\"command\":\"exec 3>hold; echo started >&3; while :; do echo tick; sleep 0.1; done\"}\n", "--approval-policy", "never", "--sandbox", "dangerFullAccess")
	thread := f.StartThread(`{}`)
	f.Begin(thread)
	h.Started()
	f.Stdout.Close()
	if code := f.Code(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	h.WantGone()
	f = p.flint(t, "")
	if turns := f.Resume(thread); len(turns) != 1 || f.Turn(turns[0]).Status != "interrupted" {
		t.Errorf("%s", turns)
	}
	f.Quit()
}

// TestFlintLongLine: a line over the limit is refused once and forgotten; one below it is
// understood.
func TestFlintLongLine(t *testing.T) {
	t.Parallel()
	f := newPlace(t).flint(t, "")
	sent := make(chan struct{})
	go func() { // a pipe holds less than a line
		defer close(sent)
		f.SendText(`{"id":"long","method":"thread/list","params":{"x":"` + strings.Repeat("y", 64<<20) + "\"}}\n")
		f.SendText(`{"id":"short","method":"thread/list","params":{"x":"` + strings.Repeat("y", 63<<20) + "\"}}\n")
	}()
	for _, want := range []string{`{"id":"long","error":{"code":-32600,"message":"Message too large"}}`, `{"id":"short","result":{"data":[]}}`} {
		if line, _ := f.Next(); line.Raw != want {
			t.Errorf("%s, want %s", line.Raw, want)
		}
	}
	<-sent
	t.Logf("peak memory %d MiB", f.Memory("VmHWM")>>20)
	f.Quit()
}

// TestFlintByName: links to the program are the agents that they are named for.
func TestFlintByName(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for name, args := range map[string][]string{"flint": nil, "parley": {"app-server"}} {
		link := filepath.Join(p.Home, name)
		if err := os.Symlink(transcript.Build(t), link); err != nil {
			t.Fatal(err)
		}
		cmd := p.Command(t, args...)
		cmd.Path = link
		cmd.Args[0] = link
		f := client.NewFlint(client.Start(t, cmd))
		if result := f.Call("initialize", `{"clientInfo":{"name":"flint-tui","version":"0.1.0"}}`); !strings.Contains(string(result), `"name":"parley"`) {
			t.Errorf("%s: %s", name, result)
		}
		f.Quit()
	}
}
