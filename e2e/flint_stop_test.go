package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/internal/transcript"
)

// flintRunning returns a process whose turn runs a command.
func flintRunning(t *testing.T, command string) (p *place, f *flint, h *held, thread, turn string) {
	t.Helper()
	p = newPlace(t)
	h = holding(t, p)
	f = p.flint(t, "text Begun.\ncall shell {\"command\":\""+command+"\"}\nnext\ntext Here.\n", "--approval-policy", "never", "--sandbox", "dangerFullAccess")
	thread = f.start(`{}`)
	turn = f.begin(thread)
	h.started()
	return p, f, h, thread, turn
}

// TestFlintSignals: a signal interrupts the turn, whose end is told, and ends the process
// and all that it started. The exit code is 130 for SIGINT and 0 for SIGTERM.
func TestFlintSignals(t *testing.T) {
	for code, sig := range map[int]syscall.Signal{0: syscall.SIGTERM, 130: syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			_, f, h, _, _ := flintRunning(t, family)
			f.signal(sig)
			if end := f.untilMethod("turn/completed"); end.Params.Turn.Status != "interrupted" {
				t.Errorf("%s", end.raw)
			}
			if line, more := f.next(); more {
				t.Errorf("behind the end comes %s", line.raw)
			}
			if got := f.code(); got != code {
				t.Errorf("exit code %d, want %d", got, code)
			}
			h.wantGone()
		})
	}
}

// TestFlintClose is how the clients of this protocol end a process: they close its input and
// send SIGTERM in the same moment.
func TestFlintClose(t *testing.T) {
	t.Parallel()
	_, f, h, _, _ := flintRunning(t, family)
	f.stdin.Close()
	f.signal(syscall.SIGTERM)
	if end := f.untilMethod("turn/completed"); end.Params.Turn.Status != "interrupted" {
		t.Errorf("%s", end.raw)
	}
	drain(f.stdout)
	if got := f.code(); got != 0 {
		t.Errorf("exit code %d", got)
	}
	h.wantGone()
}

// TestFlintSecondSignal: who signals twice gets the end at once, and nothing is left.
func TestFlintSecondSignal(t *testing.T) {
	t.Parallel()
	_, f, h, _, _ := flintRunning(t, stubborn)
	f.signal(syscall.SIGINT)
	h.asked()
	f.signal(syscall.SIGINT)
	go drain(f.stdout)
	if got := f.code(); got != 130 {
		t.Errorf("exit code %d", got)
	}
	h.wantGone()
}

// TestFlintInterruptTwice: while an interrupted turn settles, since its command does not
// want to end, a second interrupt is answered like the first; the turn ends once.
func TestFlintInterruptTwice(t *testing.T) {
	t.Parallel()
	_, f, h, thread, turn := flintRunning(t, stubborn)
	begun := time.Now()
	params := fmt.Sprintf(`{"threadId":%q,"turnId":%q}`, thread, turn)
	f.call("turn/interrupt", params)
	h.asked()
	f.call("turn/interrupt", params)
	end := f.untilMethod("turn/completed")
	t.Logf("a command that ignores SIGTERM is gone after %s", time.Since(begun).Round(10*time.Millisecond))
	if items := f.items(end.Params.Turn); end.Params.Turn.Status != "interrupted" || items[len(items)-1].Status != "failed" {
		t.Errorf("%s", end.raw)
	}
	h.wantGone()
	if again := f.ask("turn/interrupt", params); again.Error == nil || again.Error.Code != -32003 {
		t.Errorf("%s", again.raw)
	}
	f.quit()
}

// TestFlintReaderGone: when nobody reads any more the turn is interrupted, kept, and the
// process ends with 1.
func TestFlintReaderGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	h := holding(t, p)
	f := p.flint(t, "call shell {\"command\":\"exec 3>hold; echo started >&3; while :; do echo tick; sleep 0.1; done\"}\n", "--approval-policy", "never", "--sandbox", "dangerFullAccess")
	thread := f.start(`{}`)
	f.begin(thread)
	h.started()
	f.stdout.Close()
	if code := f.code(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	h.wantGone()
	f = p.flint(t, "")
	if turns := f.resume(thread); len(turns) != 1 || f.turnOf(turns[0]).Status != "interrupted" {
		t.Errorf("%s", turns)
	}
	f.quit()
}

// TestFlintLongLine: a line over the limit is refused once and forgotten; one below it is
// understood.
func TestFlintLongLine(t *testing.T) {
	f := newPlace(t).flint(t, "")
	sent := make(chan struct{})
	go func() { // a pipe holds less than a line
		defer close(sent)
		f.sendText(`{"id":"long","method":"thread/list","params":{"x":"` + strings.Repeat("y", 64<<20) + "\"}}\n")
		f.sendText(`{"id":"short","method":"thread/list","params":{"x":"` + strings.Repeat("y", 63<<20) + "\"}}\n")
	}()
	for _, want := range []string{`{"id":"long","error":{"code":-32600,"message":"Message too large"}}`, `{"id":"short","result":{"data":[]}}`} {
		if line, _ := f.next(); line.raw != want {
			t.Errorf("%s, want %s", line.raw, want)
		}
	}
	<-sent
	t.Logf("peak memory %d MiB", f.memory("VmHWM")>>20)
	f.quit()
}

// TestFlintByName: links to the program are the agents that they are named for.
func TestFlintByName(t *testing.T) {
	p := newPlace(t)
	for name, args := range map[string][]string{"flint": nil, "codex": {"app-server"}} {
		link := filepath.Join(p.home, name)
		if err := os.Symlink(transcript.Build(t), link); err != nil {
			t.Fatal(err)
		}
		f := &flint{server: launch(t, p.flintCommand(t, link, "", args...))}
		if result := f.call("initialize", `{"clientInfo":{"name":"flint-tui","version":"0.1.0"}}`); !strings.Contains(string(result), `"name":"parley"`) {
			t.Errorf("%s: %s", name, result)
		}
		f.quit()
	}
}
