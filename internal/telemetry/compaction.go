package telemetry

import (
	"context"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"parley.dev/parley/internal/event"
)

// A compaction is one that runs; the zero value: none does.
type compaction struct {
	ctx    context.Context // has the span; nil: none runs
	began  time.Time
	reason event.CompactReason
}

// start begins a compaction. Between turns it is a trace of its own.
func (c *compaction) start(f *follower, at time.Time, e event.CompactionStarted) {
	c.end(f, at, nil)
	moment := strconv.FormatInt(at.UnixNano(), 10)
	span := spanOf(spanCompaction, f.s.ID, moment)
	parent, in := trace.ContextWithRemoteSpanContext(context.Background(), f.parent), f.parent.TraceID()
	switch {
	case f.turn != nil:
		parent, in = f.turn.ctx, trace.SpanContextFromContext(f.turn.ctx).TraceID()
	case !f.parent.IsValid():
		parent, in = context.Background(), traceOf(f.s.ID, event.TurnID(spanCompaction+moment))
	}
	c.began, c.reason = at, e.Reason
	c.ctx = f.start(parent, ids{in, span}, spanCompaction, trace.SpanKindInternal, at,
		attribute.String(attrOperation, operationCompact), attribute.String(attrReason, string(e.Reason)))
}

// end ends the compaction that runs, if one does; without a result it has failed, or was interrupted.
func (c *compaction) end(f *follower, at time.Time, result *event.Compacted) {
	if result != nil {
		f.count(f.t.ctx, f.model, result.Usage, result.Cost)
	}
	if c.ctx == nil {
		return
	}
	span, problem := trace.SpanFromContext(c.ctx), ""
	if result == nil {
		problem = "not_compacted"
		span.SetAttributes(attribute.String(attrErrorType, problem))
		span.SetStatus(codes.Error, problem)
	} else {
		span.SetAttributes(usage(result.Usage, result.Cost)...)
		span.SetAttributes(attribute.Int(attrTokensBefore, result.TokensBefore), attribute.Int(attrTokensAfter, result.TokensAfter))
	}
	span.End(trace.WithTimestamp(at))
	f.t.numbers.compactionLength.Record(f.t.ctx, at.Sub(c.began).Seconds(), with(
		attribute.String(attrReason, string(c.reason)), attribute.String(attrErrorType, problem)))
	*c = compaction{}
}
