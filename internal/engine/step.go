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
// The error is the provider's, or errStepLimit, errObjected, or the cause of asking; what an interrupt left
// is in history.
func (t *turn) step(ctx, asking context.Context) (stepAnswer, error) {
	m, err := t.resolve()
	if err != nil {
		return stepAnswer{}, err
	}
	t.s.offerServers(asking)
	t.compactIfFull(asking, m)
	n := t.openStep(m)
	failure := &event.Failing{Kind: FailInternal, Message: "the model call ended without an answer"} // of a panic
	defer func() { t.append(event.StepEnded{Step: n, Failure: failure}) }()
	answer, err := t.answer(asking, m)
	failure = nil
	if err != nil && asking.Err() == nil && !errors.Is(err, errObjected) {
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
	t.show(event.StatusChanged{Status: event.Working})
	t.runCalls(ctx, answer.id, calls)
	t.rounds++
	return answer, nil
}

func (t *turn) resolve() (Model, error) {
	m, err := t.s.host.cfg.Models.Resolve(t.model)
	if t.tuning.Window > 0 {
		m.Info.ContextWindow = t.tuning.Window
	}
	return m, err
}

func (t *turn) openStep(m Model) int {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	n := t.s.fold.open.steps + 1
	t.s.append(t.id, event.StepStarted{Step: n, Model: m.Info.ID})
	return n
}

// answer asks the model, again where that helps, and records what it said.
func (t *turn) answer(ctx context.Context, m Model) (stepAnswer, error) {
	compacted := false
	tries, succeeded := attempts{t: t}, false
	defer func() { tries.done(succeeded) }()
	for {
		if err := t.s.budget.Err(); err != nil {
			return stepAnswer{}, err
		}
		req, err := t.request(ctx, m)
		if err != nil {
			return stepAnswer{}, err
		}
		id := t.nextMessage()
		stream := t.stream(ctx, m, req, id)
		runtime.Gosched() // followers tell the last deltas before the journal takes its time
		if ctx.Err() != nil {
			return t.keepPartial(m, id, stream, !t.s.opts.ForgetPartial), context.Cause(ctx)
		}
		if stream.cut != nil {
			succeeded = true
			t.keepCut(m, id, stream)
			return stepAnswer{}, errObjected
		}
		if stream.err == nil {
			succeeded = true
			t.objections = append(t.objections, stream.objections...)
			return t.keep(m, id, stream), nil
		}
		if isKind(stream.err, model.ContextTooLong) && !compacted && !stream.shown {
			compacted = true
			if t.compactOverflow(ctx, m, stream.err) {
				continue
			}
		}
		if !tries.wait(ctx, &stream) {
			void := tries.cancelled && ctx.Err() != nil
			return t.keepPartial(m, id, stream, !void), stream.err
		}
	}
}

func isKind(err error, kind model.ErrorKind) bool {
	p, ok := errors.AsType[*model.Error](err)
	return ok && p.Kind == kind
}

func (t *turn) nextMessage() event.MessageID {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.s.fold.nextMessage()
}

// request is everything the model is told next.
func (t *turn) request(ctx context.Context, m Model) (*model.Request, error) {
	s := t.s
	prompt := s.systemPrompt(m.Info, t.tuning.Instructions)
	prompt.base = cmp.Or(t.tuning.System, prompt.base)
	history := t.told(ctx)
	s.mu.Lock()
	req := &model.Request{
		Model: m.Info.ID, System: prompt.text(), Messages: history,
		Tools: s.specs(), MaxTokens: s.maxTokens(m.Info),
		Thinking: t.thinking, Tuning: t.tuning.Model, Session: string(s.id), Ready: s.gate.opening(),
	}
	s.fixedBytes, s.window = len(req.System)+toolBytes(req.Tools), m.Info.ContextWindow
	tokens := s.contextTokens()
	s.mu.Unlock()
	t.show(event.ContextEstimated{Tokens: tokens, Window: m.Info.ContextWindow})
	t.show(event.StatusChanged{Status: event.Thinking})
	return req, loadImages(req.Messages, s.Blob)
}

// maxTokens is the output cap of a model call.
func (s *Session) maxTokens(info model.Info) int {
	if s.opts.MaxTokens > 0 {
		return s.opts.MaxTokens
	}
	return OutputCap(info)
}

// OutputCap is the output cap where none is set: an eighth of the context window, at most
// 16,384 and what the model can, at least 256 tokens.
func OutputCap(info model.Info) int {
	n := min(16384, info.ContextWindow/8)
	if info.MaxOutput > 0 {
		n = min(n, info.MaxOutput)
	}
	return max(n, 256)
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
			blocks[i].Call = &call
			calls++
		}
	}
	if usage == (model.Usage{}) {
		usage = estimateUsage(s.contextTokens(), msg)
	}
	e := event.AssistantMessage{
		ID: id, Model: m.Info.ID, Blocks: blocks, Stop: r.response.Stop, Usage: usage, Cost: m.Info.Price.Cost(usage),
	}
	s.append(t.id, e)
	s.spend(t.id, usage, e.Cost)
	s.showLocked(t.id, event.UsageTicked{Usage: s.fold.open.usage, Cost: s.fold.open.cost})
	return stepAnswer{model.Message{Role: model.Assistant, Blocks: blocks}, id, r.response.Stop}
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
	s.append(t.id, event.AssistantMessage{
		ID: id, Model: m.Info.ID, Blocks: partial.Blocks, Partial: true, Usage: usage, Cost: cost,
	})
	s.spend(t.id, usage, cost)
	return stepAnswer{Message: partial, id: id}
}
