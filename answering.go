package parley

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"sync"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/record"
)

// answers reports whether approvals and questions can be answered.
func (o Options) answers() bool { return o.Approve != nil || o.Answer != nil || o.Attended }

// A pending is what waits for the program of the user: by the id of the approval or the question, what ends the call of its
// function. Only the goroutine of answerAll uses it.
type pending map[string]context.CancelFunc

// answerAll calls Options.Approve and Options.Answer for what waits for an answer, until the session is closed. It waits for all
// calls.
func (s *Session) answerAll(records iter.Seq2[event.Record, error]) {
	ctx, cancel := context.WithCancel(context.Background())
	var calls sync.WaitGroup
	defer calls.Wait()
	defer cancel()
	waiting := pending{}
	for rec, err := range records {
		if err != nil {
			s.host.o.Logger.Error("approvals are not decided any more", "session", s.ID(), "error", err)
			return
		}
		switch e := rec.Event.(type) {
		case event.ApprovalAsked:
			if s.waits(string(e.ID)) {
				calls.Go(s.approve(waiting.begin(ctx, string(e.ID)), e))
			}
		case event.QuestionAsked:
			if s.waits(string(e.ID)) {
				calls.Go(s.answer(waiting.begin(ctx, string(e.ID)), e))
			}
		case event.ApprovalAnswered:
			waiting.end(string(e.ID))
		case event.QuestionAnswered:
			waiting.end(string(e.ID))
		}
	}
}

func (p pending) begin(ctx context.Context, id string) context.Context {
	ctx, p[id] = context.WithCancel(ctx)
	return ctx
}

func (p pending) end(id string) {
	if cancel := p[id]; cancel != nil {
		cancel()
		delete(p, id)
	}
}

// waits reports whether an approval or a question waits here: it may be one of a turn that another host ran.
func (s *Session) waits(id string) bool {
	approvals, questions := s.eng.Waiting()
	return slices.ContainsFunc(approvals, func(a event.ApprovalAsked) bool { return string(a.ID) == id }) ||
		slices.ContainsFunc(questions, func(q event.QuestionAsked) bool { return string(q.ID) == id })
}

// approve returns what decides an approval.
func (s *Session) approve(ctx context.Context, asked event.ApprovalAsked) func() {
	o := s.host.o
	if o.Approve == nil && o.Attended {
		return func() {} // a method of the session does
	}
	return func() {
		d := engine.Decision{Reason: "the program allows no calls that need an approval"}
		if o.Approve != nil {
			text := s.guard("Options.Approve", func() {
				said := o.Approve(ctx, s, convert[record.ApprovalAsked](asked))
				d = engine.Decision{Allow: said.Allow, Remember: said.Always, Reason: said.Reason}
			})
			if text != "" {
				d = engine.Decision{Broken: true, Reason: text}
			}
		}
		if ctx.Err() == nil {
			_ = s.client.Answer(asked.ID, d) // another answer may have been first
		}
	}
}

// answer returns what answers questions.
func (s *Session) answer(ctx context.Context, asked event.QuestionAsked) func() {
	o := s.host.o
	if o.Answer == nil && o.Attended {
		return func() {} // a method of the session does
	}
	return func() {
		var answers [][]string
		var text string
		if o.Answer != nil {
			text = s.guard("Options.Answer", func() { answers = o.Answer(ctx, s, convert[record.QuestionAsked](asked)) })
		}
		switch {
		case ctx.Err() != nil:
		case text != "":
			_ = s.client.RefuseQuestion(asked.ID, text) // another answer may have been first
		default:
			_ = s.client.AnswerQuestion(asked.ID, answers) // so here
		}
	}
}

// guard calls a function of the user and returns how it failed; "": it returned.
func (s *Session) guard(name string, f func()) (failure string) {
	defer func() {
		if p := recover(); p != nil {
			s.host.o.Logger.Error("panic in a function of the program", "session", s.ID(), "function", name, "panic", p, "stack", string(debug.Stack()))
			failure = fmt.Sprintf("%s of the program failed: %v", name, p)
		}
	}()
	f()
	return ""
}
