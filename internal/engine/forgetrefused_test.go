package engine

import (
	"context"
	"slices"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// refuse answers with a text that the provider cut since it refuses.
func refuse(text string) answerFunc {
	return func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		m := model.Message{Role: model.Assistant, Blocks: []model.Block{model.TextBlock(text)}}
		yield(model.Delta{Kind: model.Done, Response: &model.Response{Message: m, Stop: model.StopRefused, Usage: model.Usage{Input: 10, Output: 2}}}, nil)
	}
}

func forgetRefused(o *Options, _ *event.Settings) { o.Plugins = []Plugin{ForgetRefused{}} }

// TestForgetRefused: a refused turn leaves the history, whatever it did before the refusal; without the plugin it stays.
func TestForgetRefused(t *testing.T) {
	two := []answerFunc{call(toolCall("c", "look", `{}`)), refuse("no")}
	for name, test := range map[string]struct {
		refused []answerFunc
		edit    func(*Options, *event.Settings)
		want    []string
	}{
		"first step":   {[]answerFunc{refuse("no")}, forgetRefused, []string{"one", "three"}},
		"no text":      {[]answerFunc{refuse("")}, forgetRefused, []string{"one", "three"}},
		"a later step": {two, forgetRefused, []string{"one", "three"}},
		"no plugin":    {two, nil, []string{"one", "two", "three"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, []fakeTool{lookTool()}, append(append([]answerFunc{say("first")}, test.refused...), say("third"))...)
			s := b.session(t, test.edit)
			ended(t, turnOf(t, s, "one", nil))
			if end := ended(t, turnOf(t, s, "two", nil)); end.Reason != event.TurnRefused {
				t.Fatalf("%+v", end)
			}
			if err := s.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			ended(t, turnOf(t, s, "three", nil))
			last := b.requests()[len(test.refused)+1].Messages
			equal(t, "prompts", said(last), test.want)
			if kept := slices.ContainsFunc(last, func(m model.Message) bool { return len(m.Calls()) > 0 }); kept != (test.edit == nil) {
				t.Errorf("a call of the turn is in the history: %v", kept)
			}
		})
	}
}

// TestForgetRefusedAnsweredLater: a refusal that a steer follows in the same turn is not the end of it.
func TestForgetRefusedAnsweredLater(t *testing.T) {
	var s *Session
	steered := func(ctx context.Context, r *modelRequest, yield yieldFunc) {
		if err := s.Steer(ctx, Prompt{Text: "and"}); err != nil {
			t.Error(err)
		}
		refuse("no")(ctx, r, yield)
	}
	b := newBench(t, nil, steered, say("well"), say("third"))
	s = b.session(t, forgetRefused)
	if end := ended(t, turnOf(t, s, "two", nil)); end.Reason != event.TurnCompleted {
		t.Fatalf("%+v", end)
	}
	ended(t, turnOf(t, s, "three", nil))
	equal(t, "prompts", said(b.requests()[2].Messages), []string{"two", "and", "three"})
}

// TestForgetRefusedAfterCompaction: the history is as it was before the turn, although it was compacted in it.
func TestForgetRefusedAfterCompaction(t *testing.T) {
	b := newBench(t, nil, say("one"), say("two"), say("summary"), refuse("no"), say("four"))
	s := b.session(t, func(o *Options, settings *event.Settings) {
		forgetRefused(o, settings)
		o.Compact = WindowShares{}
	})
	ended(t, turnOf(t, s, "first", nil))
	ended(t, turnOf(t, s, "second", nil))
	compact := func(shares WindowShares) {
		t.Helper()
		if err := s.Adjust(func(o *LiveOptions) { o.Compact = shares }); err != nil {
			t.Fatal(err)
		}
	}
	compact(WindowShares{At: 1e-9, Drop: 0.4})
	if n := len(find[event.Compacted](turnOf(t, s, "third", nil))); n != 1 {
		t.Fatalf("%d compactions", n)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	compact(WindowShares{})
	ended(t, turnOf(t, s, "fourth", nil))
	equal(t, "prompts", said(b.requests()[4].Messages), []string{"first", "second", "fourth"})
}

// TestForgetRefusedRecovered: wherever the process ends once the answer was refused, the turn has left the history of the
// next one; a turn that ended earlier stays, and so does a refused one after which the history went on.
func TestForgetRefusedRecovered(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, say("first"), call(toolCall("c", "look", `{}`)), refuse("no"), say("third"))
	s := b.session(t, forgetRefused)
	ended(t, turnOf(t, s, "one", nil))
	ended(t, turnOf(t, s, "two", nil))
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	refusedEnd := len(b.store.only().records(false))
	ended(t, turnOf(t, s, "three", nil))
	whole, records := b.store.only().lines, b.store.only().records(false)
	refused := slices.IndexFunc(records, func(rec event.Record) bool {
		e, ok := rec.Event.(event.AssistantMessage)
		return ok && e.Stop == model.StopRefused
	})
	if _, ok := records[refusedEnd-1].Event.(event.Branched); !ok || refused < 0 {
		t.Fatalf("record %d is %s, the refused answer is record %d", refusedEnd, records[refusedEnd-1].Event.Kind(), refused+1)
	}
	open := func(n int, edit func(*Options, *event.Settings)) []string {
		t.Helper()
		next := newBench(t, []fakeTool{lookTool()}, say("again"))
		next.store.journals[s.ID()] = &memJournal{store: next.store, id: s.ID(), lines: slices.Clone(whole[:n]), blobs: map[string][]byte{}}
		o := next.options()
		if edit != nil {
			edit(&o, nil)
		}
		got, err := next.host().Open(t.Context(), s.ID(), o)
		if err != nil {
			t.Fatalf("after %d records: %v", n, err)
		}
		ended(t, turnOf(t, got, "again", nil))
		checkBalanced(t, next.store.only().records(false))
		if err := got.Close(t.Context()); err != nil {
			t.Error(err)
		}
		return said(next.requests()[0].Messages)
	}
	for n := refused + 1; n <= refusedEnd; n++ {
		equal(t, "prompts", open(n, forgetRefused), []string{"one", "again"})
	}
	equal(t, "prompts before the answer", open(refused, forgetRefused), []string{"one", "two", "again"})
	equal(t, "prompts without the plugin", open(refusedEnd-1, nil), []string{"one", "two", "again"})
	equal(t, "prompts after the next turn", open(len(whole), forgetRefused), []string{"one", "three", "again"})
}

// TestForgetRefusedInherited: a refused turn that another protocol left as the last one leaves the history when the session is opened.
func TestForgetRefusedInherited(t *testing.T) {
	b := newBench(t, nil, say("first"), refuse("no"), say("third"))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "one", nil))
	ended(t, turnOf(t, s, "two", nil))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := b.options()
	forgetRefused(&o, nil)
	again, err := b.host().Open(t.Context(), s.ID(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close(context.Background()) })
	ended(t, turnOf(t, again, "three", nil))
	equal(t, "prompts", said(b.requests()[2].Messages), []string{"one", "three"})
}
