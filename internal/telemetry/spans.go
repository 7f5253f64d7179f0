package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"parley.dev/parley/internal/telemetry/otlp"
)

// A spanExporter sends spans of the SDK in OTLP.
type spanExporter struct{ client *client }

var _ sdktrace.SpanExporter = spanExporter{}

// ExportSpans sends spans. What fails is logged, and no error.
func (e spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	e.client.sendMessage(ctx, tracesOf(spans))
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (e spanExporter) Shutdown(context.Context) error { return nil }

// tracesOf returns spans, all of the same resource and scope, as OTLP has them.
func tracesOf(spans []sdktrace.ReadOnlySpan) *otlp.Traces {
	scope := spans[0].InstrumentationScope()
	all := otlp.ScopeSpans{Scope: otlp.Scope{Name: scope.Name, Version: scope.Version}, SchemaURL: scope.SchemaURL}
	for _, s := range spans {
		all.Spans = append(all.Spans, otlpSpan(s))
	}
	resource := otlp.Resource{Attributes: attributesOf(spans[0].Resource().Attributes())}
	return &otlp.Traces{ResourceSpans: []otlp.ResourceSpans{{Resource: resource, ScopeSpans: []otlp.ScopeSpans{all}}}}
}

func otlpSpan(s sdktrace.ReadOnlySpan) otlp.Span {
	traceID, spanID := s.SpanContext().TraceID(), s.SpanContext().SpanID()
	span := otlp.Span{
		TraceID: traceID[:], SpanID: spanID[:], TraceState: s.SpanContext().TraceState().String(), Name: valid(s.Name()), Kind: kinds[s.SpanKind()],
		StartTime: nanoseconds(s.StartTime()), EndTime: nanoseconds(s.EndTime()), Attributes: attributesOf(s.Attributes()),
		DroppedAttributes: uint32(s.DroppedAttributes()), //nolint:gosec // it is a small count
		DroppedEvents:     uint32(s.DroppedEvents()),     //nolint:gosec // it is a small count
		Flags:             uint32(s.SpanContext().TraceFlags()),
	}
	if parent := s.Parent().SpanID(); parent.IsValid() {
		span.ParentSpanID = parent[:]
	}
	for _, e := range s.Events() {
		span.Events = append(span.Events, otlp.Event{Time: nanoseconds(e.Time), Name: valid(e.Name), Attributes: attributesOf(e.Attributes)})
	}
	switch st := s.Status(); st.Code {
	case codes.Error:
		span.Status = otlp.Status{Code: otlp.StatusError, Message: valid(st.Description)}
	case codes.Ok:
		span.Status.Code = otlp.StatusOK
	case codes.Unset:
	}
	return span
}

// nanoseconds returns a time as OTLP has it.
func nanoseconds(t time.Time) uint64 { return uint64(t.UnixNano()) } //nolint:gosec // it is after 1970

var kinds = map[trace.SpanKind]otlp.Kind{
	trace.SpanKindInternal: otlp.KindInternal, trace.SpanKindServer: otlp.KindServer, trace.SpanKindClient: otlp.KindClient,
	trace.SpanKindProducer: otlp.KindProducer, trace.SpanKindConsumer: otlp.KindConsumer,
}
