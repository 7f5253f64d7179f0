package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// TestStreamedTextIsRecorded: text that clients have seen is in the journal a second later. If
// the process dies then, the next one has it, and its model reads that it was cut.
func TestStreamedTextIsRecorded(t *testing.T) {
	needsDisk(t)
	synctest.Test(t, func(t *testing.T) {
		said := func(ctx context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
			for _, d := range []model.Delta{{Kind: model.ThinkingDelta, Text: "hm"}, {Kind: model.TextDelta, Block: 1, Text: "seen "}, {Kind: model.TextDelta, Block: 1, Text: "by all"}} {
				if !yield(d, nil) {
					return
				}
			}
			<-time.After(growEvery + time.Millisecond)
			if yield(model.Delta{Kind: model.TextDelta, Block: 1, Text: ", and more"}, nil) {
				<-ctx.Done()
			}
		}
		b := newBench(t, nil, said, say("again"))
		s := b.session(t, nil)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "1"}); err != nil {
			t.Fatal(err)
		}
		<-time.After(growEvery + growEvery/2)
		synctest.Wait()
		grown := find[event.AnswerGrew](b.store.only().records(false))
		if len(grown) != 1 || !grown[0].Restart || len(grown[0].Pieces) != 2 || grown[0].Pieces[1].Text != "seen by all" {
			t.Fatalf("recorded: %+v", grown)
		}
		// What another process finds if this one dies now.
		dead := newMemStore()
		dead.journals[s.ID()] = &memJournal{store: dead, id: s.ID(), lines: b.store.only().lines, blobs: map[string][]byte{}}
		next := &bench{script: &script{t: t, answers: []answerFunc{say("again")}}, store: dead}
		heir := next.reopened(t, next.host(), s.ID(), next.options())
		ended(t, turnOf(t, heir, "2", nil))
		texts := seen(next.requests()[0])
		if got := strings.Join(texts, "|"); got != "1|seen by all|"+session.CutNote+"|2" {
			t.Errorf("the model sees %s", got)
		}
		s.Interrupt()
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		answers := find[event.AssistantMessage](b.store.only().records(true))
		if len(answers) != 1 || answers[0].Blocks[1].Text != "seen by all, and more" || s.fold.Open.Grown.Message != "" {
			t.Errorf("the answer is recorded as %+v", answers)
		}
	})
}
