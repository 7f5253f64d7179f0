package engine

import (
	"testing"
	"testing/synctest"

	"parley.dev/parley/internal/event"
)

// TestFollowUpWhereNothingRuns: where follow-ups have turns of their own, one begins at once;
// while they are held it waits, whatever ends, until they are released.
func TestFollowUpWhereNothingRuns(t *testing.T) {
	b := newBench(t, nil, say("one"), say("two"), say("three"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.FollowUps = FollowUpInNewTurn })
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
	release, other := s.Queue().Hold(), s.Queue().Hold()
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

// TestHeldFollowUpsKeepTheLease: a follow-up that is held runs in the process that holds it, and
// not after a turn of another one.
func TestHeldFollowUpsKeepTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, say("one"), say("two"))
		inTurns := func(o *Options, _ *event.Settings) { o.FollowUps = FollowUpInNewTurn }
		s := b.session(t, inTurns)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		o := b.options()
		o.FollowUps = FollowUpInNewTurn
		other := b.reopened(t, b.host(), s.ID(), o)

		release := s.Queue().Hold()
		if err := s.FollowUp(t.Context(), Prompt{Text: "held"}); err != nil {
			t.Fatal(err)
		}
		_, err := other.Prompt(t.Context(), Prompt{Text: "of the other"})
		lockedBy(t, err)
		release()
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if st := s.State(); st.Turns != 1 || len(st.FollowUps) != 0 {
			t.Errorf("%d turns here, %d prompts wait; want 1 and 0", st.Turns, len(st.FollowUps))
		}
		ended(t, turnOf(t, other, "of the other", nil))
	})
}
