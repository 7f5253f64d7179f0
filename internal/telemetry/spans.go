package telemetry

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// A spanExporter sends spans of the SDK in OTLP.
type spanExporter struct{ client *client }

var _ sdktrace.SpanExporter = spanExporter{}

// ExportSpans sends spans. What fails is logged, and no error.
func (e spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	td := tracesOf(spans)
	var body []byte
	var err error
	if e.client.target.JSON {
		body, err = (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	} else {
		body, err = (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	}
	if err != nil {
		e.client.log.Error("telemetry cannot be encoded", "error", err)
		return nil
	}
	e.client.send(ctx, body)
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (e spanExporter) Shutdown(context.Context) error { return nil }

// tracesOf returns spans, all of the same resource and scope, as OTLP has them.
func tracesOf(spans []sdktrace.ReadOnlySpan) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	putAll(rs.Resource().Attributes(), spans[0].Resource().Attributes())
	ss := rs.ScopeSpans().AppendEmpty()
	scope := spans[0].InstrumentationScope()
	ss.Scope().SetName(scope.Name)
	ss.Scope().SetVersion(scope.Version)
	ss.SetSchemaUrl(scope.SchemaURL)
	ss.Spans().EnsureCapacity(len(spans))
	for _, s := range spans {
		putSpan(ss.Spans().AppendEmpty(), s)
	}
	return td
}

func putSpan(to ptrace.Span, s sdktrace.ReadOnlySpan) {
	to.SetTraceID(pcommon.TraceID(s.SpanContext().TraceID()))
	to.SetSpanID(pcommon.SpanID(s.SpanContext().SpanID()))
	to.TraceState().FromRaw(s.SpanContext().TraceState().String())
	if p := s.Parent(); p.SpanID().IsValid() {
		to.SetParentSpanID(pcommon.SpanID(p.SpanID()))
	}
	to.SetFlags(uint32(s.SpanContext().TraceFlags()))
	to.SetName(s.Name())
	to.SetKind(kinds[s.SpanKind()])
	to.SetStartTimestamp(pcommon.NewTimestampFromTime(s.StartTime()))
	to.SetEndTimestamp(pcommon.NewTimestampFromTime(s.EndTime()))
	putAll(to.Attributes(), s.Attributes())
	to.SetDroppedAttributesCount(uint32(s.DroppedAttributes())) //nolint:gosec // it is a small count
	to.SetDroppedEventsCount(uint32(s.DroppedEvents()))         //nolint:gosec // it is a small count
	for _, e := range s.Events() {
		event := to.Events().AppendEmpty()
		event.SetName(e.Name)
		event.SetTimestamp(pcommon.NewTimestampFromTime(e.Time))
		putAll(event.Attributes(), e.Attributes)
	}
	switch st := s.Status(); st.Code {
	case codes.Error:
		to.Status().SetCode(ptrace.StatusCodeError)
		to.Status().SetMessage(st.Description)
	case codes.Ok:
		to.Status().SetCode(ptrace.StatusCodeOk)
	case codes.Unset:
	}
}

var kinds = map[trace.SpanKind]ptrace.SpanKind{
	trace.SpanKindInternal: ptrace.SpanKindInternal, trace.SpanKindServer: ptrace.SpanKindServer, trace.SpanKindClient: ptrace.SpanKindClient,
	trace.SpanKindProducer: ptrace.SpanKindProducer, trace.SpanKindConsumer: ptrace.SpanKindConsumer,
}
