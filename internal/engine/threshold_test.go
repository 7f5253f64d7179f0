package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A fixed policy has the same plan for every model.
type fixed Compaction

func (f fixed) Plan(int, int) Compaction { return Compaction(f) }

func TestWindowShares(t *testing.T) {
	for _, c := range []struct {
		name           string
		policy         WindowShares
		window, answer int
		want           Compaction
	}{
		{"the default", DefaultCompaction, 100_000, 10_000, Compaction{Limit: 76_500, Keep: 20_000, Drop: 0.4}},
		{"none", WindowShares{Keep: 0.5}, 100_000, 10_000, Compaction{Keep: 50_000}},
		{"an answer as large as the window", WindowShares{At: 0.5}, 1000, 2000, Compaction{}},
	} {
		if got := c.policy.Plan(c.window, c.answer); got.Limit != c.want.Limit || got.Keep != c.want.Keep || got.Drop != c.want.Drop {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// filling returns an answer after which the context has that many tokens.
func filling(text string, tokens int, calls ...model.Call) answerFunc {
	return func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		m := model.Message{Role: model.Assistant, Blocks: []model.Block{model.TextBlock(text)}}
		for _, c := range calls {
			m.Blocks = append(m.Blocks, model.Block{Kind: model.KindToolCall, Call: &c})
		}
		yield(model.Delta{Kind: model.Done, Response: &model.Response{Message: m, Usage: model.Usage{Input: tokens - 10, Output: 10}}}, nil)
	}
}

// inOrder returns what a turn did, without the records that do not matter here.
func inOrder(records []event.Record) (all []string) {
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.UserMessage:
			all = append(all, string(e.Via)+": "+(model.Message{Blocks: e.Blocks}).Text())
		case event.AssistantMessage:
			all = append(all, "model: "+(model.Message{Blocks: e.Blocks}).Text())
		case event.CompactionStarted:
			all = append(all, "compacting "+string(e.Reason))
		case event.Compacted:
			all = append(all, "compacted "+string(e.Reason))
		case event.Notice:
			all = append(all, e.Code+": "+e.Text)
		case event.TurnEnded:
			all = append(all, "ended "+string(e.Reason))
		}
	}
	return all
}

// compacting runs a turn, with a history after it, that fills the context.
func compacting(t *testing.T, edit func(*Compaction), see func(*Session, event.Record), answers ...answerFunc) (*bench, []event.Record) {
	t.Helper()
	b := newBench(t, []fakeTool{lookTool()}, append([]answerFunc{say("hello")}, answers...)...)
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "first", nil))
	if err := s.Adjust(func(m *LiveOptions) {
		plan := Compaction{Limit: 83_616, Keep: 1, AfterTurn: true, Continue: "Go on."}
		if edit != nil {
			edit(&plan)
		}
		m.Compact = fixed(plan)
	}); err != nil {
		t.Fatal(err)
	}
	records := s.Log().Follow(t.Context(), s.State().Head+1, event.KindCompactionStarted)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	turn := untilEnd(t, records, func(rec event.Record) {
		if see != nil {
			see(s, rec)
		}
	})
	ended(t, turn)
	checkBytes(t, s)
	return b, turn
}

func TestCompactAfterTurn(t *testing.T) {
	full := filling("full", 90_000)
	fullWithCall := filling("full", 90_000, toolCall("c", "look", `{}`))
	said := func(pieces ...answerFunc) []answerFunc { return pieces }
	refused := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		m := model.Message{Role: model.Assistant, Blocks: []model.Block{model.TextBlock("full")}}
		yield(model.Delta{Kind: model.Done, Response: &model.Response{Message: m, Stop: model.StopRefused, Usage: model.Usage{Input: 90_000}}}, nil)
	}
	failed := fail(&model.Error{Kind: model.Rejected, Message: "no"})
	began := []string{"prompt: go", "model: full", "compacting threshold"}
	onceMore := slices.Concat(began, []string{"compacted threshold", "engine: Go on."})
	for _, c := range []struct {
		name    string
		edit    func(*Compaction)
		answers []answerFunc
		want    []string
	}{
		{"and goes on", nil, said(full, say("summary"), say("done")), slices.Concat(onceMore, []string{"model: done", "ended completed"})},
		{"and ends", func(o *Compaction) { o.Continue = "" }, said(full, say("summary")), slices.Concat(began, []string{"compacted threshold", "ended completed"})},
		{"not before a step", nil, said(fullWithCall, say("done")), []string{"prompt: go", "model: full", "model: done", "ended completed"}},
		{"not when there is room", nil, said(filling("not full", 83_616)), []string{"prompt: go", "model: not full", "ended completed"}},
		{
			"once, for a model that does nothing", nil, said(full, say("summary"), full, say("summary")),
			slices.Concat(onceMore, []string{"model: full", "compacting threshold", "compacted threshold", "ended completed"}),
		},
		{
			"again, for one that works", nil, said(full, say("summary"), call(toolCall("c", "look", `{}`)), full, say("summary"), say("done")),
			slices.Concat(onceMore, []string{"model: ", "model: full", "compacting threshold", "compacted threshold", "engine: Go on.", "model: done", "ended completed"}),
		},
		{
			"when that helps nothing", func(o *Compaction) { o.Limit = 1 }, said(full, say("summary")),
			slices.Concat(began, []string{"compacted threshold", "ended completed"}),
		},
		{"and fails", nil, said(full, failed), slices.Concat(began, []string{"compaction_failed: summary: no", "ended completed"})},
		{"with nothing to do", func(o *Compaction) { o.Keep = 25_000 }, said(full), []string{"prompt: go", "model: full", "ended completed"}},
		{"not after a refusal", nil, said(refused), []string{"prompt: go", "model: full", "ended refused"}},
		{"not by itself", func(o *Compaction) { o.Never = true }, said(full), []string{"prompt: go", "model: full", "ended completed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, turn := compacting(t, c.edit, nil, c.answers...)
			equal(t, "the turn", inOrder(turn), c.want)
			if n := len(b.requests()); n != 1+len(c.answers) {
				t.Errorf("%d model calls, want %d", n, 1+len(c.answers))
			}
		})
	}
}

// TestCompactAgain: where there was nothing to compact, the next try waits until the context has grown: from its smallest size since then.
func TestCompactAgain(t *testing.T) {
	const tooMuch = 25_000 // tokens to keep: the history has less
	b := newBench(t, nil, filling("full", 90_000), filling("full", 90_000), filling("small", 20_000), filling("full", 90_000), say("summary"), say("done"))
	s := b.session(t, nil)
	for _, turn := range []struct {
		keep int
		want []string
	}{
		{tooMuch, []string{"prompt: go", "model: full", "ended completed"}},
		{tooMuch, []string{"prompt: go", "compaction_failed: nothing to compact", "model: full", "ended completed"}},
		{1, []string{"prompt: go", "model: small", "ended completed"}},
		{1, []string{"prompt: go", "model: full", "ended completed"}},
		{1, []string{"prompt: go", "compacted threshold", "model: done", "ended completed"}},
	} {
		if err := s.Adjust(func(m *LiveOptions) { m.Compact = fixed(Compaction{Limit: 83_616, Keep: turn.keep}) }); err != nil {
			t.Fatal(err)
		}
		equal(t, "the turn", inOrder(turnOf(t, s, "go", nil)), turn.want)
	}
}

// TestContinue: after a compaction the model receives a message with the protocol's own text.
func TestContinue(t *testing.T) {
	b, turn := compacting(t, func(o *Compaction) {
		o.ContinueSent = func(now time.Time) jsontext.Value {
			return jsontext.Value(`{"at":"` + now.Format(time.DateOnly) + `"}`)
		}
	}, nil, filling("full", 90_000), say("summary"), say("done"))
	m := find[event.UserMessage](turn)
	if len(m) != 2 || m[1].Via != event.ByEngine || string(m[1].Sent) != `{"at":"2026-01-02"}` || m[1].ID == "" {
		t.Errorf("messages = %+v", m)
	}
	equal(t, "the request", said(b.requests()[3].Messages), []string{summarised("summary", "first"), "go", "Go on."})
	if got := b.requests()[3].Messages; got[2].Text() != "full" {
		t.Errorf("the last answer is gone: %+v", got)
	}
}

// TestSaidWhileCompacting: what is said during the compaction keeps the turn going.
func TestSaidWhileCompacting(t *testing.T) {
	for name, edit := range map[string]func(*Compaction){
		"in place of the words": func(o *Compaction) { o.Continue = "" },
		"after them":            nil,
	} {
		t.Run(name, func(t *testing.T) {
			began := make(chan *Session, 1)
			summary := func(ctx context.Context, r *modelRequest, y yieldFunc) {
				steer(t, <-began)
				say("summary")(ctx, r, y)
			}
			_, turn := compacting(t, edit, func(s *Session, rec event.Record) {
				if _, ok := rec.Event.(event.CompactionStarted); ok {
					began <- s
				}
			}, filling("full", 90_000), summary, say("done"))
			want := []string{"prompt: go", "model: full", "compacting threshold", "compacted threshold"}
			if edit == nil {
				want = append(want, "engine: Go on.")
			}
			equal(t, "the turn", inOrder(turn), append(want, "steer: stop that", "model: done", "ended completed"))
		})
	}
}

func TestInterruptWhileCompacting(t *testing.T) {
	tooLong := fail(&model.Error{Kind: model.ContextTooLong, Status: 400, Message: "too long"})
	for name, c := range map[string]struct {
		answer answerFunc
		want   []string
	}{
		"after the turn": {filling("full", 90_000), []string{"prompt: go", "model: full", "compacting threshold"}},
		"in a step":      {tooLong, []string{"prompt: go", "compacting overflow"}},
	} {
		t.Run(name, func(t *testing.T) {
			hanging := make(chan struct{})
			_, turn := compacting(t, nil, func(s *Session, rec event.Record) {
				if _, ok := rec.Event.(event.CompactionStarted); ok {
					<-hanging
					s.Interrupt()
				}
			}, c.answer, hang("", hanging))
			equal(t, "the turn", inOrder(turn), append(c.want, "compaction_interrupted: the compaction was interrupted", "ended interrupted"))
		})
	}
}

// TestOverflow: the record of a compaction in mid-turn has the reason; and none begins when
// that is switched off.
func TestOverflow(t *testing.T) {
	tooLong := fail(&model.Error{Kind: model.ContextTooLong, Provider: "script", Status: 400, Message: "too long"})
	_, turn := compacting(t, nil, nil, tooLong, say("summary"), say("done"))
	equal(t, "the turn", inOrder(turn), []string{"prompt: go", "compacting overflow", "compacted overflow", "model: done", "ended completed"})
	e := find[event.CompactionStarted](turn)[0]
	if e.Failure == nil || e.Failure.Kind != "context_too_long" || !strings.Contains(e.Failure.Message, "too long") {
		t.Errorf("it began for %+v", e.Failure)
	}
	_, turn = compacting(t, func(o *Compaction) { o.Never = true }, nil, tooLong)
	equal(t, "the turn", inOrder(turn), []string{"prompt: go", "ended failed"})
}
