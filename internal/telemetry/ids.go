package telemetry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"parley.dev/parley/internal/event"
)

// Ids of traces and spans are hashes of the ids of what they are of. Processes that work on the same turn, one after the
// other, so send spans of one trace, and a subagent knows the call that it works for.

// traceOf returns the id of the trace of a turn.
func traceOf(session event.SessionID, turn event.TurnID) (id trace.TraceID) {
	copy(id[:], hash("trace", string(session), string(turn)))
	return id
}

// spanOf returns the id of a span: its kind, the session, and what identifies it there.
func spanOf(kind string, session event.SessionID, parts ...string) (id trace.SpanID) {
	copy(id[:], hash(append([]string{kind, string(session)}, parts...)...))
	return id
}

func hash(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write([]byte(p)) // it never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum(nil)
}

// ids are the ids of the span that is started with a context.
type ids struct {
	trace trace.TraceID
	span  trace.SpanID
}

type idsKey struct{}

// withIDs returns a context for the start of a span with these ids.
func withIDs(ctx context.Context, id ids) context.Context {
	return context.WithValue(ctx, idsKey{}, id)
}

// generator has spans get the ids of their contexts.
type generator struct{}

var _ sdktrace.IDGenerator = generator{}

func (generator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if id, ok := ctx.Value(idsKey{}).(ids); ok {
		return id.trace, id.span
	}
	var id ids
	_, _ = rand.Read(id.trace[:]) // never fails, says its documentation
	_, _ = rand.Read(id.span[:])
	return id.trace, id.span
}

func (g generator) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	_, span := g.NewIDs(ctx)
	return span
}
