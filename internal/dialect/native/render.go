package native

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
)

// A watched session is one whose records are read, from some number on.
type watched struct {
	pump *dialect.Pump
	stop func()
	done chan struct{} // closed when nothing more is sent

	following bool // records are sent, not only what there is to notify of
}

// A follow is what a client wants of the records of a session.
type follow struct {
	from      uint64
	transient []event.Kind // each once
	pace      time.Duration
}

// protocolName is what the clients of this protocol share the line of a record by.
const protocolName = "native"

// always are the kinds of transient records that are read whatever the client follows.
var always = []event.Kind{event.KindClientJoined, event.KindClientLeft, event.KindSyncStarted, event.KindSyncEnded, event.KindHandedOver}

// watch follows the records of a session from now on: with nil only to notify of clients and of the end. They are
// sent once start is called.
func (c *conn) watch(s *session, f *follow) (start func()) {
	w := &watched{pump: dialect.NewPump(s.eng, c.out), done: make(chan struct{}), following: f != nil}
	w.stop = w.pump.Stop
	w.pump.Others, w.pump.Visible, w.pump.Numbers = true, true, true
	from := s.eng.Log().Head() + 1
	kinds := always
	var gap func() time.Duration
	if f != nil {
		from = max(f.from, 1)
		kinds = append(slices.Clone(f.transient), always...) // deltas are what comes most: their kinds are compared first
		if f.pace > 0 {
			gap = func() time.Duration { return f.pace }
		}
	}
	w.pump.Skip(from - 1)
	records := s.eng.Log().FollowPaced(w.pump.Context(), from, gap, kinds...)
	s.watched = w
	return func() {
		c.pumping.Go(func() {
			defer close(w.done)
			c.pumpRecords(w.pump.Context(), s, w, f, records)
		})
	}
}

// The reasons of session/closed of a session that the client still has open.
const (
	handedOver = "handed_over" // another process has got it
	unreadable = "unreadable"  // its records cannot be read now
)

// pumpRecords sends what the client follows until the session is closed or handed over to another process, or it is
// followed in another way.
func (c *conn) pumpRecords(ctx context.Context, s *session, w *watched, f *follow, records iter.Seq2[event.Record, error]) {
	id := string(s.eng.ID())
	one := make([][]byte, 1) // a record is at most one line
	err := w.pump.Run(records, func(rec event.Record) [][]byte {
		if e, ok := rec.Event.(event.HandedOver); ok {
			f = nil
			if c.cfg.Hosts != nil {
				c.forgetLater(s) // its next request finds the host that has it
			}
			one[0] = notification("session/closed", SessionClosed{Session: id, Reason: handedOver, Head: e.Head})
			return one
		}
		if one[0] = c.render(s, id, f, rec); one[0] == nil {
			return nil
		}
		return one
	})
	if err != nil && ctx.Err() == nil {
		c.cfg.Log.Error("session no longer followed", "session", id, "error", err)
		w.pump.Reply(notification("session/closed", SessionClosed{Session: id, Reason: unreadable, Head: s.eng.Log().Head()}))
	}
	if reason := s.eng.Ended(); reason != "" && reason != engine.EndedByAll && ctx.Err() == nil && !s.ending.Load() {
		w.pump.Reply(notification("session/closed", c.closed(s, reason)))
		c.forgetLater(s)
	}
}

// closed returns the params of session/closed of a session that was closed.
func (c *conn) closed(s *session, reason engine.EndReason) SessionClosed {
	params := SessionClosed{Session: string(s.eng.ID()), Reason: string(reason), Head: s.eng.Log().Head()}
	if moved := s.eng.Moved(); moved != nil {
		params.Owner, params.Host = moved.Owner, moved.Host
	}
	return params
}

// forgetLater removes a session that was closed for all, once the connection handles no line. It is not waited for: the end of
// the connection removes all.
func (c *conn) forgetLater(s *session) {
	c.forgetting.Go(func() { c.forget(s) })
}

// forget removes a session that was closed for all.
func (c *conn) forget(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[s.eng.ID()] == s && !c.server.Closing() {
		delete(c.sessions, s.eng.ID())
		s.leave(c.life)
	}
}

// render returns the notification of a record; nil: there is none.
func (c *conn) render(s *session, id string, f *follow, rec event.Record) []byte {
	switch e := rec.Event.(type) {
	case event.ClientJoined:
		return clientNote(rec.Form, "client/joined", s, id, e.Client, e.Role)
	case event.ClientLeft:
		return clientNote(rec.Form, "client/left", s, id, e.Client, e.Role)
	}
	if f == nil || rec.Seq == 0 && !slices.Contains(f.transient, rec.Event.Kind()) && !isUnsaved(rec.Event) || !c.cfg.Host.Reaches(s.eng) {
		return nil
	}
	return rec.Form.Line(protocolName, func() []byte {
		record, err := recordValue(s.eng, rec)
		if err != nil {
			c.cfg.Log.Error("record not sent", "session", id, "seq", rec.Seq, "error", err)
			return nil
		}
		return recordLine(id, record)
	})
}

// isUnsaved reports whether a record without a number says that the session cannot be saved.
func isUnsaved(e event.Event) bool {
	switch e := e.(type) {
	case event.Notice:
		return e.Code == engine.NoticeUnsaved || e.Code == engine.NoticeCompactionFailed
	case event.TurnEnded:
		return e.Failure != nil && e.Failure.Kind == engine.FailUnsaved
	}
	return false
}

// recordLine returns the notification of a record.
func recordLine(session string, record jsontext.Value) []byte {
	params := make([]byte, 0, len(record)+len(session)+64)
	params = append(params, `{"session":`...)
	params = wire.AppendString(params, session)
	params = append(params, `,"record":`...)
	params = append(params, record...)
	params = append(params, '}')
	return frames.AppendNotification(make([]byte, 0, len(params)+64), "record", params)
}

// recordValue returns a record as the journal has it.
func recordValue(eng *engine.Session, rec event.Record) (jsontext.Value, error) {
	rec, err := eng.Log().Stored(rec)
	if err != nil {
		return nil, err
	}
	return rec.AppendJSON(nil)
}

// clientNote notifies of a client, but not the client itself.
func clientNote(form *event.Form, method string, s *session, id string, client event.Client, role string) []byte {
	if s.client != nil && client == s.client.Info() {
		return nil
	}
	return form.Line(protocolName, func() []byte { return notification(method, ClientNote{id, client, role}) })
}
