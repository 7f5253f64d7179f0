package engine

import (
	"testing"

	"parley.dev/parley/internal/event"
)

// TestFollowUpWhereNothingRuns: where follow-ups have turns of their own, one begins at once;
// while they are held it waits, whatever ends, until they are released.
func TestFollowUpWhereNothingRuns(t *testing.T) {
	b := newBench(t, nil, say("one"), say("two"), say("three"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.FollowUps = FollowUpsNewTurn })
	queue := func(text string) {
		t.Helper()
		if err := s.FollowUp(t.Context(), Prompt{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	wait := func(turns, waiting int) {
		t.Helper()
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if st := s.State(); st.Turns != turns || len(st.FollowUps) != waiting {
			t.Errorf("%d turns, %d prompts wait; want %d and %d", st.Turns, len(st.FollowUps), turns, waiting)
		}
	}
	queue("first")
	wait(1, 0)
	release, other := s.HoldFollowUps(), s.HoldFollowUps()
	queue("second")
	wait(1, 1)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "between"}); err != nil {
		t.Fatal(err)
	}
	wait(2, 1)
	other()
	other()
	wait(2, 1)
	release()
	wait(3, 0)
	checkBalanced(t, b.store.only().records(false))
}
