package pisces

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// screen returns a connection that has nothing but dialogs.
func screen(out io.Writer) (x *extensions, end func()) {
	serial := uint32(0)
	c := &conn{cfg: Config{Log: slog.New(slog.DiscardHandler), Now: time.Now, Random: func() uint32 { serial++; return serial }}}
	c.out = dialect.OpenOutput(nil, out, 1<<20, c.cfg.Log)
	c.ext = &extensions{c: c}
	return c.ext, c.out.Close
}

// A sheet is what was written.
type sheet struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *sheet) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

func (s *sheet) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestDialogs settles each kind of dialog in each way, once.
func TestDialogs(t *testing.T) {
	answer := func(member, value string) func(*extensions, string) {
		return func(x *extensions, id string) {
			a := ExtensionUIResponse{ID: rawjson.Quoted(id)}
			switch member {
			case "value":
				a.Value = jsontext.Value(value)
			case "confirmed":
				a.Confirmed = jsontext.Value(value)
			case "cancelled":
				a.Cancelled = jsontext.Value(value)
			}
			x.dialogs.answer(a)
		}
	}
	settle := func(x *extensions, _ string) { x.dialogs.settle(false) }
	for _, test := range []struct {
		name, kind, params string
		settle             func(x *extensions, id string) // nil: a minute passes
		want               any
		after              time.Duration
	}{
		{"select", "select", `{"options":["a"]}`, answer("value", `"a"`), "a", 0},
		{"select cancelled", "select", `{}`, answer("cancelled", `true`), nil, 0},
		{"select of another kind", "select", `{}`, answer("confirmed", `true`), nil, 0},
		{"select of no text", "select", `{}`, answer("value", `7`), nil, 0},
		{"confirm", "confirm", `{}`, answer("confirmed", `true`), true, 0},
		{"confirm not", "confirm", `{}`, answer("confirmed", `false`), false, 0},
		{"confirm of another kind", "confirm", `{}`, answer("value", `"yes"`), false, 0},
		{"confirm that is settled", "confirm", `{}`, settle, false, 0},
		{"confirm whose time is over", "confirm", `{"timeout":1500}`, nil, false, 1500 * time.Millisecond},
		{"input", "input", `{}`, answer("value", `""`), "", 0},
		{"input that is settled", "input", `{}`, settle, nil, 0},
		{"input whose time is over", "input", `{"timeout":0.5}`, nil, nil, 500 * time.Microsecond},
		{"editor", "editor", `{"timeout":5}`, answer("value", `"text"`), "text", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &sheet{}
				x, end := screen(out)
				begun := time.Now()
				type result struct {
					value any
					after time.Duration
				}
				done := make(chan result, 1)
				go func() {
					value, known := x.dialog(t.Context(), test.kind, jsontext.Value(test.params))
					if !known {
						t.Error("the dialog is not known")
					}
					done <- result{value, time.Since(begun)}
				}()
				synctest.Wait()
				_, rest, _ := strings.Cut(out.String(), `"id":"`)
				id, _, _ := strings.Cut(rest, `"`)
				if test.settle == nil {
					time.Sleep(time.Minute)
					test.settle = settle
				} else {
					test.settle(x, id)
				}
				if got := <-done; got.value != test.want || got.after != test.after {
					t.Errorf("gave %v after %v, want %v after %v", got.value, got.after, test.want, test.after)
				}
				test.settle(x, id) // too late: no request waits for it
				if len(x.dialogs.open) > 0 {
					t.Errorf("open: %v", x.dialogs.open)
				}
				end()
				if n := strings.Count(out.String(), "\n"); n != 1 {
					t.Errorf("%d lines were sent: %s", n, out)
				}
			})
		})
	}
}

// TestDialogTakenBack: the cancellation of a dialog is sent for an editor only.
func TestDialogTakenBack(t *testing.T) {
	for kind, lines := range map[string]int{"editor": 2, "confirm": 1, "select": 1, "input": 1} {
		synctest.Test(t, func(t *testing.T) {
			out := &sheet{}
			x, end := screen(out)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				x.dialog(ctx, kind, jsontext.Value(`{}`))
			}()
			synctest.Wait()
			cancel()
			<-done
			end()
			if got := strings.Count(out.String(), "\n"); got != lines {
				t.Errorf("%s: %d lines, want %d: %s", kind, got, lines, out)
			}
		})
	}
}

// TestNoDialogAtTheEnd: where no client answers any more, nothing is asked.
func TestNoDialogAtTheEnd(t *testing.T) {
	out := &sheet{}
	x, end := screen(out)
	x.dialogs.settle(true)
	if value, known := x.dialog(t.Context(), "confirm", jsontext.Value(`{}`)); value != false || !known {
		t.Errorf("gave %v, %v", value, known)
	}
	if _, known := x.dialog(t.Context(), "dance", nil); known {
		t.Error("there is no such dialog")
	}
	end()
	if out.String() != "" {
		t.Errorf("sent %s", out)
	}
}
