package engine

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// errStepLimit: the model wants tools beyond the turn's limit. Its answer is in history.
var errStepLimit = errors.New("step limit reached")

// stepAnswer is a finished answer of the model.
type stepAnswer struct {
	model.Message
	id   event.MessageID
	stop model.Stop
}

// step makes one model call, which ends with asking too, and runs the tool calls it asks for.
// The error is the provider's, or errStepLimit, errViolated, or the cause of asking; what an interrupt left
// is in history.
func (t *turn) step(ctx, asking context.Context) (stepAnswer, error) {
	t.switchModel()
	m, err := t.resolve()
	if err != nil {
		return stepAnswer{}, err
	}
	t.s.offerServers(asking)
	t.makeRoom(asking, m)
	n := t.openStep(m)
	failure := &event.Failure{Kind: FailInternal, Message: "the model call ended without an answer"} // of a panic
	defer func() { t.append(event.StepEnded{Step: n, Failure: failure}) }()
	answer, err := t.answer(asking, m)
	failure = nil
	if err != nil && asking.Err() == nil && !errors.Is(err, errViolated) {
		failure = failing(err)
	}
	if err != nil || ctx.Err() != nil {
		return answer, err
	}
	calls := answer.Calls()
	if len(calls) == 0 {
		return answer, nil
	}
	if limit := t.s.opts.StepLimit; limit > 0 && t.rounds >= limit {
		return answer, errStepLimit
	}
	t.showStatus(event.Working)
	t.runCalls(ctx, answer.id, t.repaired(calls))
	t.noteInstructions()
	t.rounds++
	return answer, t.checkLoop(calls)
}

func (t *turn) openStep(m Model) int {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	n := t.s.fold.Open.Steps + 1
	t.s.log.Append(t.id, event.StepStarted{Step: n, Model: m.Info.ID})
	return n
}

// answer asks the model, again where that helps, and records what it said.
func (t *turn) answer(ctx context.Context, m Model) (stepAnswer, error) {
	var long overflow
	tries, succeeded := attempts{t: t}, false
	refusal := moderation{t: t}
	t.trial = nil
	defer func() { tries.done(succeeded) }()
	for {
		if err := t.s.opts.Budget.Err(); err != nil {
			return stepAnswer{}, err
		}
		req, err := t.request(ctx, m)
		if err != nil {
			return stepAnswer{}, err
		}
		if err := t.s.mayWork(ctx); err != nil {
			return stepAnswer{}, err
		}
		id := t.nextMessage()
		last := t.s.lastTexts(m)
		stream := t.stream(ctx, m, req, id)
		if stream.begun || stream.response != nil {
			refusal.answered(m)
		}
		runtime.Gosched() // followers send the last deltas before the journal is written
		if ctx.Err() != nil {
			return t.keepPartial(m, id, stream, true), context.Cause(ctx)
		}
		if stream.cut != nil {
			succeeded = true
			t.keepCut(m, id, stream)
			return stepAnswer{}, errViolated
		}
		if stream.err == nil && filled(m, stream.response) {
			stream.err = &model.Error{Kind: model.ContextTooLong, Provider: m.Info.Provider, Message: "the context window is full: there was no room for an answer"}
		}
		if stream.err == nil {
			succeeded = true
			t.objections = append(t.objections, stream.objections...)
			answer := t.keep(m, id, stream)
			t.cutAt = 0
			if answer.stop == model.StopTokens {
				t.cutAt = req.MaxTokens
			}
			if stream.response.Moderated {
				t.refuseAnswered(m, last)
			}
			return answer, nil
		}
		void := func() {
			t.keepPartial(m, id, stream, true)
			stream.begun, stream.thought = false, false
		}
		if !stream.shown && (t.affords(stream.err) || t.withoutPictures(m, stream.err) || refusal.retry(m, stream.err)) {
			continue
		}
		if t.overflowed(m, stream.err) && !stream.shown && long.fit(ctx, t, &m, stream.err) {
			if stream.thought {
				void()
			}
			continue
		}
		if !tries.wait(ctx, &stream, void) {
			forget := tries.cancelled && ctx.Err() != nil
			partial := t.keepPartial(m, id, stream, !forget)
			if refusalOf(stream.err) != nil && len(partial.Blocks) > 0 {
				t.refuseAnswered(m, nil)
			}
			return partial, stream.err
		}
	}
}

func (t *turn) nextMessage() event.MessageID {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.s.fold.NextMessage()
}

// request returns the next request to the model.
func (t *turn) request(ctx context.Context, m Model) (*model.Request, error) {
	s := t.s
	prompt := s.systemPrompt(m.Info, t.tuning.Instructions)
	prompt.base = cmp.Or(t.tuning.System, prompt.base)
	history := s.messages(ctx, m, t.trial)
	if t.shorten {
		history = shortened(history, s.room(m))
	}
	s.mu.Lock()
	specs, left := maxSpecs(s.specs(m.Info), m.MaxTools)
	t.noteLeftOut(m, left)
	req := &model.Request{
		Model: m.Info.ID, System: prompt.text(), Messages: history,
		Tools:    specs,
		Thinking: m.Info.Level(t.thinking), Reasons: len(m.Info.Thinking) > 0, Tuning: t.tuning.Model, Session: string(s.id), Ready: s.log.Durable(),
	}
	s.context.fixedBytes, s.context.window, s.context.model = len(req.System)+toolBytes(req.Tools), m.Info.ContextWindow, m.Info.ID
	tokens := s.contextTokens()
	req.MaxTokens = t.answerLimit(m.Info, tokens)
	s.mu.Unlock()
	t.show(event.ContextEstimated{Tokens: tokens, Window: m.Info.ContextWindow})
	t.showStatus(event.Thinking)
	return req, s.fitPictures(req.Messages, m)
}

// keep records a whole answer.
func (t *turn) keep(m Model, id event.MessageID, r streamed) stepAnswer {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	msg, usage := r.response.Message, r.response.Usage
	blocks := slices.Clone(msg.Blocks)
	calls := 0
	for i, b := range blocks {
		if b.Kind == model.KindToolCall {
			call := *b.Call
			call.ID = string(r.callID(s.fold, calls, call.ID))
			call.Name = cmp.Or(call.Name, unnamedTool)
			blocks[i].Call = &call
			calls++
		}
	}
	if usage == (model.Usage{}) {
		usage = estimateUsage(s.contextTokens(), msg)
	}
	e := event.AssistantMessage{
		ID: id, Provider: m.Info.Provider, Model: m.Info.ID, Blocks: blocks, Stop: r.response.Stop, Usage: usage, Cost: cmp.Or(r.response.Cost, m.Info.Price.Cost(usage)),
	}
	s.log.Append(t.id, e)
	s.spend(t.id, usage, e.Cost)
	s.log.Show(t.id, event.UsageTicked{Usage: s.fold.Open.Usage, Cost: s.fold.Open.Cost})
	return stepAnswer{model.Message{Role: model.Assistant, Blocks: blocks, Provider: m.Info.Provider, Model: m.Info.ID}, id, r.response.Stop}
}

// keepPartial records what a cut answer had said, if it had begun.
func (t *turn) keepPartial(m Model, id event.MessageID, r streamed, text bool) stepAnswer {
	if !r.begun {
		return stepAnswer{}
	}
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	partial := r.said.Partial()
	usage := estimateUsage(s.contextTokens(), r.said.Message())
	if !text {
		partial.Blocks = nil
	}
	cost := m.Info.Price.Cost(usage)
	s.log.Append(t.id, event.AssistantMessage{
		ID: id, Provider: m.Info.Provider, Model: m.Info.ID, Blocks: partial.Blocks, Partial: true, Usage: usage, Cost: cost,
	})
	s.spend(t.id, usage, cost)
	return stepAnswer{Message: partial, id: id}
}
