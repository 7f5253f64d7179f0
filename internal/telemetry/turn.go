package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"parley.dev/parley/internal/event"
)

// A turn is a turn that runs, and what is open in it.
type turn struct {
	f          *follower
	id         event.TurnID
	began      time.Time
	ctx        context.Context // has the span
	chat       *chat
	calls      map[event.CallID]*call
	approvals  map[event.ApprovalID]wait
	questions  map[event.QuestionID]wait
	compaction compaction
	model      string // that was called first
}

// begin begins a turn.
func (f *follower) begin(id event.TurnID, at time.Time) {
	if f.turn != nil {
		f.turn.abandon()
	}
	parent := trace.ContextWithRemoteSpanContext(context.Background(), f.parent)
	in := f.parent.TraceID()
	if !f.parent.IsValid() {
		parent, in = context.Background(), traceOf(f.s.ID, id)
	}
	f.turn = &turn{
		f: f, id: id, began: at,
		ctx: f.start(parent, ids{in, spanOf(spanTurn, f.s.ID, string(id))}, operationAgent+" "+f.agent, trace.SpanKindInternal, at,
			attribute.String(attrOperation, operationAgent), attribute.String(attrAgent, f.agent), attribute.String(attrTurn, string(id))),
		calls: map[event.CallID]*call{}, approvals: map[event.ApprovalID]wait{}, questions: map[event.QuestionID]wait{},
	}
	f.t.numbers.activeTurns.Add(f.t.ctx, 1)
}

// start starts a span within the turn.
func (t *turn) start(parent context.Context, kind, id, name string, spanKind trace.SpanKind, at time.Time, attributes ...attribute.KeyValue) context.Context {
	in := trace.SpanContextFromContext(t.ctx).TraceID()
	return t.f.start(parent, ids{in, spanOf(kind, t.f.s.ID, string(t.id), id)}, name, spanKind, at, attributes...)
}

// apply exports what a record of the turn reports.
func (t *turn) apply(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.UserMessage:
		if t.f.t.content {
			trace.SpanFromContext(t.ctx).SetAttributes(attribute.String(attrInputText, message("user", e.Blocks)))
		}
	case event.StepStarted:
		t.step(rec.Time, e)
	case event.TextDelta, event.ThinkingDelta, event.ToolInputDelta:
		t.chat.chunk(rec.Time)
	case event.RetryStarted:
		t.retry(rec.Time, e)
	case event.AssistantMessage:
		t.answer(rec.Time, e)
	case event.StepEnded:
		t.endChat(rec.Time, e.Failure)
		t.compaction.end(t.f, rec.Time, nil)
	case event.ToolIntended:
		t.intend(rec.Time, e)
	case event.ToolStarted:
		t.calls[e.Call].run(rec.Time, e)
	case event.ToolEnded:
		t.endCall(rec.Time, e)
	case event.SubagentStarted:
		t.calls[e.Call].event(rec.Time, "subagent_started", attribute.String(attrAgent, e.Agent), attribute.String(attrConversation, string(e.Session)))
	case event.ApprovalAsked:
		t.approvals[e.ID] = t.wait(rec.Time, spanApproval, string(e.ID), e.Call, attribute.String(attrMode, e.Mode))
	case event.ApprovalAnswered:
		if w, ok := t.approvals[e.ID]; ok {
			delete(t.approvals, e.ID)
			w.end(rec.Time, t.f.t.numbers.approvalWait, attribute.Bool(attrAllowed, e.Allowed), attribute.String(attrBy, string(e.By)))
		}
	case event.QuestionAsked:
		t.questions[e.ID] = t.wait(rec.Time, spanQuestion, string(e.ID), e.Call)
	case event.QuestionAnswered:
		if w, ok := t.questions[e.ID]; ok {
			delete(t.questions, e.ID)
			w.end(rec.Time, t.f.t.numbers.questionWait, attribute.String(attrBy, string(e.By)))
		}
	}
}

// end ends the turn.
func (t *turn) end(at time.Time, e event.TurnEnded) {
	t.close(at)
	failure := turnError(e)
	span := trace.SpanFromContext(t.ctx)
	span.SetAttributes(known([]attribute.KeyValue{
		attribute.String(attrTurnReason, string(e.Reason)), attribute.Int(attrSteps, e.Steps), attribute.String(attrErrorType, failure),
		attribute.String(attrRequestModel, t.model), attribute.String(attrProvider, t.f.model.provider),
	})...)
	span.SetAttributes(usage(e.Usage, e.Cost)...)
	if e.Recovered {
		span.SetAttributes(attribute.Bool(attrRecovered, true))
	}
	if failure != "" {
		span.SetStatus(codes.Error, t.f.describe(failure, e.Failure))
	}
	span.End(trace.WithTimestamp(at))
	t.f.t.numbers.turnDuration.Record(t.f.t.ctx, at.Sub(t.began).Seconds(), with(
		attribute.String(attrAgent, t.f.agent), attribute.String(attrTurnReason, string(e.Reason)), attribute.String(attrErrorType, failure),
		attribute.String(attrRequestModel, t.model)))
	t.f.t.numbers.activeTurns.Add(t.f.t.ctx, -1)
}

// close ends what is open in the turn: it was interrupted.
func (t *turn) close(at time.Time) {
	t.endChat(at, nil)
	t.compaction.end(t.f, at, nil)
	for id := range t.approvals {
		t.approvals[id].end(at, t.f.t.numbers.approvalWait, attribute.Bool(attrAllowed, false), attribute.String(attrBy, string(event.ByInterrupt)))
	}
	for id := range t.questions {
		t.questions[id].end(at, t.f.t.numbers.questionWait, attribute.String(attrBy, string(event.ByInterrupt)))
	}
	for id := range t.calls {
		t.endCall(at, event.ToolEnded{Call: id, Outcome: event.Interrupted})
	}
}

// abandon leaves a turn whose end this process does not see: no span of it is exported, as another process does that.
func (t *turn) abandon() { t.f.t.numbers.activeTurns.Add(t.f.t.ctx, -1) }

// describe returns the description of a status. The message of a failure may quote what was sent to a model.
func (f *follower) describe(kind string, failure *event.Failure) string {
	switch {
	case failure == nil:
		return kind
	case f.t.content:
		return failure.Message
	case failure.Code != "":
		return kind + ": " + failure.Code
	}
	return kind
}

// A wait is an approval or a question that is not answered yet.
type wait struct {
	f     *follower
	ctx   context.Context
	began time.Time
}

// wait begins a wait, within the span of its call.
func (t *turn) wait(at time.Time, kind, id string, of event.CallID, attributes ...attribute.KeyValue) wait {
	parent := t.ctx
	if c := t.calls[of]; c != nil {
		parent = c.ctx
	}
	return wait{t.f, t.start(parent, kind, id, kind, trace.SpanKindInternal, at, known(attributes)...), at}
}

// end ends the wait.
func (w wait) end(at time.Time, length metric.Float64Histogram, attributes ...attribute.KeyValue) {
	span := trace.SpanFromContext(w.ctx)
	span.SetAttributes(attributes...)
	span.End(trace.WithTimestamp(at))
	length.Record(w.f.t.ctx, at.Sub(w.began).Seconds(), metric.WithAttributes(attributes...))
}
