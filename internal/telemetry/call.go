package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"parley.dev/parley/internal/event"
)

// A call is a tool call that runs, or waits for its approval.
type call struct {
	ctx          context.Context // has the span
	tool, server string
}

// intend begins a call.
func (t *turn) intend(at time.Time, e event.ToolIntended) {
	c := &call{tool: e.Tool, server: e.Server}
	kind := "function"
	if e.Server != "" {
		kind = "extension"
	}
	if c.tool == "" {
		c.tool = unknownTool
	}
	in := trace.SpanContextFromContext(t.ctx).TraceID()
	c.ctx = t.f.start(t.ctx, ids{in, spanOf(spanCall, t.f.s.ID, string(e.Call))}, operationTool+" "+e.Name, trace.SpanKindInternal, at, known([]attribute.KeyValue{
		attribute.String(attrOperation, operationTool), attribute.String(attrTool, e.Name), attribute.String(attrToolType, kind),
		attribute.String(attrCall, string(e.Call)), attribute.String(attrServer, e.Server),
	})...)
	if t.f.t.content {
		trace.SpanFromContext(c.ctx).SetAttributes(attribute.String(attrArguments, cut(string(e.Input))))
	}
	t.calls[e.Call] = c
}

// run marks the begin of the run of the tool.
func (c *call) run(at time.Time, e event.ToolStarted) {
	c.event(at, "started", known([]attribute.KeyValue{attribute.String(attrConfined, e.Confined)})...)
}

// event adds an event to the span; c may be nil.
func (c *call) event(at time.Time, name string, attributes ...attribute.KeyValue) {
	if c != nil {
		trace.SpanFromContext(c.ctx).AddEvent(name, trace.WithTimestamp(at), trace.WithAttributes(attributes...))
	}
}

// endCall ends a call.
func (t *turn) endCall(at time.Time, e event.ToolEnded) {
	c := t.calls[e.Call]
	if c == nil {
		return
	}
	delete(t.calls, e.Call)
	span := trace.SpanFromContext(c.ctx)
	problem := toolError(e.Outcome)
	if problem != "" {
		span.SetAttributes(attribute.String(attrErrorType, problem))
		span.SetStatus(codes.Error, problem)
	}
	if t.f.t.content {
		span.SetAttributes(attribute.String(attrResult, cut(e.Output)))
	}
	span.End(trace.WithTimestamp(at))
	t.f.t.numbers.toolDuration.Record(t.f.t.ctx, time.Duration(e.Ran).Seconds(), with(
		attribute.String(attrTool, c.tool), attribute.String(attrServer, c.server), attribute.String(attrErrorType, problem)))
}
