package engine

import (
	"testing"

	"parley.dev/parley/internal/event"
)

// TestResults: what State says of results holds after calls, skipped calls, branches and
// compactions, and for an heir.
func TestResults(t *testing.T) {
	var s *Session
	b, turn := steering(t, func(o *Options, _ *event.Settings) { o.SteerAt = SteerAfterCall },
		func(of *Session) {
			s = of
			if err := s.Steer(t.Context(), Prompt{Text: "stop"}); err != nil {
				t.Error(err)
			}
		},
		call(toolCall("e", "work", `{}`), toolCall("f", "work", `{}`)), say("ok"), say("a summary"))
	check := func(after string, want int) {
		t.Helper()
		checkBytes(t, s)
		if n := s.State().Results; n != want {
			t.Errorf("after %s: %d results, want %d", after, n, want)
		}
	}
	check("four calls, one of them skipped", 3)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	heir, err := b.host().Open(t.Context(), s.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := heir.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	s = heir
	check("opening", 3)
	for _, rec := range turn {
		if _, ok := rec.Event.(event.AssistantMessage); ok {
			if _, err := s.Branch(rec.Seq); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	check("a branch to the first answer", 1)
	if _, err := compactNow(s, ""); err != nil {
		t.Fatal(err)
	}
	check("a compaction of everything", 0)
}
