package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// piscesTexts returns the roles and texts of messages, but for what the program itself added at
// their end because something was cut.
func piscesTexts(messages []map[string]any) []string {
	var all []string
	for _, m := range messages {
		all = append(all, fmt.Sprintf("%s: %s", m["role"], stage.TextOf(m["content"])))
	}
	return all
}

// TestPiscesKill: after kill -9 in any phase nothing that was started is left, and what was
// acknowledged is there for the next process, and in the session file.
func TestPiscesKill(t *testing.T) {
	t.Parallel()
	for _, phase := range []struct {
		name  string
		reply modeltest.Reply
		reach func(s *client.Pisces, h *stage.Held)
		want  []string // after the first turn
	}{
		{"prompt unread", modeltest.Stream(modeltest.Wait(nil)), func(*client.Pisces, *stage.Held) {}, []string{"user: Now work."}},
		{"text", modeltest.Stream(modeltest.Text("Half an ans"), modeltest.Wait(nil)), func(s *client.Pisces, _ *stage.Held) { s.Until("message_update") }, []string{"user: Now work."}},
		{
			"tool", modeltest.Stream(modeltest.Text("I work."), modeltest.Call("a", "bash", `{"command":"`+stage.Family+`"}`), modeltest.Call("b", "bash", `{"command":"true"}`)),
			func(_ *client.Pisces, h *stage.Held) { h.Started() },
			[]string{"user: Now work.", "assistant: I work."},
		},
		{"compaction", modeltest.Stream(modeltest.Wait(nil)), func(*client.Pisces, *stage.Held) {}, nil},
	} {
		t.Run(phase.name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Seven, noted.")), phase.reply)
			p := b.place(t)
			h := stage.Holding(t, p.Work)
			s := p.pisces(t)
			s.Turn("Remember the number 7.")
			stage.Await(t, b.arrived, "the first request")
			before := s.State()
			if phase.name == "compaction" {
				s.Send(map[string]string{"type": "compact"})
			} else {
				s.Send(map[string]string{"type": "prompt", "message": "Now work."})
			}
			stage.Await(t, b.arrived, "the second request")
			phase.reach(s, h)
			s.Kill()
			if phase.name == "tool" {
				h.WantGone()
			}
			after := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Still 7.")))
			after.use(p)
			s = p.pisces(t, "--continue")
			found := s.State()
			messages := s.Context()
			want := append([]string{"user: Remember the number 7.", "assistant: Seven, noted."}, phase.want...)
			got := piscesTexts(messages)
			if found.SessionID != before.SessionID || found.SessionFile != before.SessionFile || found.IsStreaming || len(got) < len(want) || cmp.Diff(want, got[:len(want)]) != "" {
				t.Fatalf("%+v has the messages\n%s\nwant\n%s", found, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			s.Turn("Which number was it?")
			history := s.Context()
			s.Leave()
			if last := piscesTexts(history)[len(history)-1]; last != "assistant: Still 7." {
				t.Errorf("the last is %s", last)
			}
			stage.CheckPaired(t, after.chatMessages(t, 0))
			if err := os.RemoveAll(filepath.Join(p.State(), "sessions")); err != nil { // the journals; nothing but the file is left
				t.Fatal(err)
			}
			s = p.pisces(t, "--session", before.SessionFile)
			if s.State().SessionID != before.SessionID {
				t.Error("the file is of another session")
			}
			if diff := cmp.Diff(history, s.Context()); diff != "" {
				t.Errorf("the file has\n%s", diff)
			}
			s.Leave()
		})
	}
}
