package telemetry

import (
	"context"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A chat is a call of a model that runs, with its retries.
type chat struct {
	ctx   context.Context // has the span
	model string
	began time.Time
	first time.Time // when the answer began; zero: it did not yet
}

// chunk counts a piece of the answer.
func (c *chat) chunk(at time.Time) {
	if c != nil && c.first.IsZero() {
		c.first = at
	}
}

// step begins the call of a step.
func (t *turn) step(at time.Time, e event.StepStarted) {
	t.endChat(at, nil)
	if t.model == "" {
		t.model = e.Model
	}
	t.f.model.model = e.Model
	t.chat = &chat{model: e.Model, began: at, ctx: t.start(t.ctx, spanStep, strconv.Itoa(e.Step), operationChat+" "+e.Model, trace.SpanKindClient, at,
		attribute.String(attrOperation, operationChat), attribute.String(attrRequestModel, e.Model), attribute.Int(attrStep, e.Step))}
}

// retry counts a retry. What came before it is not the answer.
func (t *turn) retry(at time.Time, e event.RetryStarted) {
	t.f.t.numbers.retries.Add(t.f.t.ctx, 1, with(attribute.String(attrErrorType, e.Failure.Kind), attribute.String(attrProvider, providerName(e.Failure.Provider))))
	if t.chat == nil {
		return
	}
	t.chat.first = time.Time{}
	attributes := []attribute.KeyValue{
		attribute.Int(attrAttempt, e.Attempt), attribute.Float64(attrDelay, time.Duration(e.Delay).Seconds()), attribute.String(attrErrorType, e.Failure.Kind),
	}
	if e.Failure.Status != 0 {
		attributes = append(attributes, attribute.Int(attrStatus, e.Failure.Status))
	}
	trace.SpanFromContext(t.chat.ctx).AddEvent("retry", trace.WithTimestamp(at), trace.WithAttributes(attributes...))
}

// answer ends the call of the step with its answer.
func (t *turn) answer(at time.Time, e event.AssistantMessage) {
	t.f.model = modelName{providerName(e.Provider), e.Model}
	t.f.count(t.f.t.ctx, t.f.model, e.Usage, e.Cost)
	if t.f.t.content {
		trace.SpanFromContext(t.ctx).SetAttributes(attribute.String(attrOutputText, message("assistant", e.Blocks)))
	}
	c := t.chat
	if c == nil {
		return // an agent of another program answers more than once in a step
	}
	span := trace.SpanFromContext(c.ctx)
	span.SetAttributes(known([]attribute.KeyValue{attribute.String(attrProvider, t.f.model.provider), attribute.String(attrResponseModel, e.Model)})...)
	span.SetAttributes(usage(e.Usage, e.Cost)...)
	if reason := finishReasons[e.Stop]; reason != "" {
		span.SetAttributes(attribute.StringSlice(attrFinish, []string{reason}))
	}
	if t.f.t.content {
		span.SetAttributes(attribute.String(attrOutputText, message("assistant", e.Blocks)))
	}
	if e.Partial {
		return // why it was cut comes with the end of the step
	}
	t.finish(at, "", nil)
}

// endChat ends a call without a complete answer: with a failure, or because it was interrupted.
func (t *turn) endChat(at time.Time, failure *event.Failure) {
	switch {
	case t.chat == nil:
	case failure == nil:
		t.finish(at, interrupted, nil)
	default:
		t.f.model.provider = providerName(failure.Provider)
		t.finish(at, failure.Kind, failure)
	}
}

// finish ends the span of the call; problem "": it has succeeded.
func (t *turn) finish(at time.Time, problem string, failure *event.Failure) {
	c := t.chat
	t.chat = nil
	span := trace.SpanFromContext(c.ctx)
	attributes := []attribute.KeyValue{
		attribute.String(attrOperation, operationChat), attribute.String(attrProvider, t.f.model.provider), attribute.String(attrRequestModel, c.model),
	}
	if !c.first.IsZero() {
		first := c.first.Sub(c.began).Seconds()
		span.SetAttributes(attribute.Float64(attrFirstChunk, first))
		t.f.t.numbers.firstChunk.Record(t.f.t.ctx, first, with(attributes...))
	}
	if problem != "" {
		span.SetAttributes(known([]attribute.KeyValue{attribute.String(attrErrorType, problem), attribute.String(attrProvider, t.f.model.provider)})...)
		if failure != nil && failure.Status != 0 {
			span.SetAttributes(attribute.Int(attrStatus, failure.Status))
		}
		span.SetStatus(codes.Error, t.f.describe(problem, failure))
	}
	span.End(trace.WithTimestamp(at))
	t.f.t.numbers.modelDuration.Record(t.f.t.ctx, at.Sub(c.began).Seconds(), with(append(attributes, attribute.String(attrErrorType, problem))...))
}

// count counts tokens and cost. Tokens that nothing has reported are estimates, and not counted.
func (f *follower) count(ctx context.Context, m modelName, u model.Usage, cost float64) {
	attributes := []attribute.KeyValue{
		attribute.String(attrOperation, operationChat), attribute.String(attrProvider, m.provider), attribute.String(attrRequestModel, m.model),
	}
	if !u.Estimated && u != (model.Usage{}) {
		f.t.numbers.tokens.Record(ctx, int64(u.Context()), with(append(attributes, attribute.String(attrTokenType, "input"))...))
		f.t.numbers.tokens.Record(ctx, int64(u.Output), with(append(attributes, attribute.String(attrTokenType, "output"))...))
	}
	if cost > 0 {
		f.t.numbers.cost.Add(ctx, cost, with(attributes[1:]...))
	}
}

// usage returns the attributes of tokens and cost. By the conventions, input includes what was read from and written to caches.
func usage(u model.Usage, cost float64) []attribute.KeyValue {
	a := []attribute.KeyValue{attribute.Int(attrInput, u.Context()), attribute.Int(attrOutput, u.Output)}
	for _, n := range []struct {
		name string
		n    int
	}{{attrCacheRead, u.CacheRead}, {attrCacheWrite, u.CacheWrite}, {attrReasoning, u.Thinking}} {
		if n.n > 0 {
			a = append(a, attribute.Int(n.name, n.n))
		}
	}
	if u.Estimated {
		a = append(a, attribute.Bool(attrEstimated, true))
	}
	if cost > 0 {
		a = append(a, attribute.Float64(attrCost, cost))
	}
	return a
}
