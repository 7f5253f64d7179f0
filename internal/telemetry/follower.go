package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"parley.dev/parley/internal/event"
)

// A follower exports the records of one session. Times are those of the records.
type follower struct {
	t       *Telemetry
	s       Session
	parent  trace.SpanContext // of turns; not valid: they begin traces
	agent   string
	others  bool // the records are of another process
	turn    *turn
	resting compaction                   // between turns
	queued  map[event.PromptID]time.Time // prompts in queues, and when they came there
	model   modelName                    // that was called last
}

// A modelName is a model, and the name of its provider by the conventions; "": not known.
type modelName struct{ provider, model string }

// apply exports what a record reports.
func (f *follower) apply(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.SyncStarted:
		f.others = true
		return
	case event.SyncEnded:
		f.others = false
		return
	case event.QueueChanged:
		f.queues(rec.Time, e)
		return
	}
	if f.others {
		return
	}
	switch e := rec.Event.(type) {
	case event.TurnStarted:
		f.begin(rec.Turn, rec.Time)
	case event.TurnEnded:
		if f.turn == nil && e.Recovered {
			f.recover(rec.Turn)
		}
		if f.turn != nil {
			f.turn.end(rec.Time, e)
			f.turn = nil
		}
	case event.Sampled:
		f.count(f.t.ctx, modelName{providerName(e.Provider), e.Model}, e.Usage, e.Cost)
	case event.CompactionStarted:
		f.compacting().start(f, rec.Time, e)
	case event.Compacted:
		f.compacting().end(f, rec.Time, &e)
	default:
		if f.turn != nil {
			f.turn.apply(rec)
		}
	}
}

// recover begins a turn of a process that has ended, whose end is recorded by this one.
func (f *follower) recover(id event.TurnID) {
	for rec, err := range f.s.Log.Records(f.t.ctx) {
		if err != nil {
			return
		}
		if _, ok := rec.Event.(event.TurnStarted); ok && rec.Turn == id {
			f.begin(id, rec.Time)
			return
		}
	}
}

// compacting returns the compaction that runs, or runs next.
func (f *follower) compacting() *compaction {
	if f.turn != nil {
		return &f.turn.compaction
	}
	return &f.resting
}

// queues counts prompts in queues.
func (f *follower) queues(at time.Time, e event.QueueChanged) {
	before, now := f.queued, make(map[event.PromptID]time.Time, len(e.Steering)+len(e.FollowUps))
	for _, queue := range [][]event.Queued{e.Steering, e.FollowUps} {
		for _, q := range queue {
			since, waits := before[q.ID]
			if !waits {
				since = at
			}
			now[q.ID] = since
		}
	}
	if !f.others {
		for id, since := range before {
			if _, waits := now[id]; !waits {
				f.t.numbers.queueWait.Record(f.t.ctx, at.Sub(since).Seconds())
			}
		}
	}
	f.t.numbers.queued.Add(f.t.ctx, int64(len(now)-len(before)))
	f.queued = now
}

// end ends what is open when the session is closed.
func (f *follower) end() {
	if f.turn != nil {
		f.turn.abandon()
		f.turn = nil
	}
	if n := len(f.queued); n > 0 {
		f.t.numbers.queued.Add(f.t.ctx, -int64(n))
	}
}

// start starts a span of the session. Its context has it.
func (f *follower) start(parent context.Context, id ids, name string, kind trace.SpanKind, at time.Time, attributes ...attribute.KeyValue) context.Context {
	attributes = append(attributes, attribute.String(attrConversation, string(f.s.ID)))
	ctx, _ := f.t.tracer.Start(withIDs(parent, id), name, trace.WithSpanKind(kind), trace.WithTimestamp(at), trace.WithAttributes(attributes...))
	return ctx
}

// with returns the option of a measurement with these attributes, without those that have no value.
func with(attributes ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(known(attributes)...)
}

// known returns the attributes that have a value.
func known(attributes []attribute.KeyValue) []attribute.KeyValue {
	var have []attribute.KeyValue
	for _, a := range attributes {
		if a.Value.Type() != attribute.STRING || a.Value.AsString() != "" {
			have = append(have, a)
		}
	}
	return have
}
