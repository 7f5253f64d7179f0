package codex

import (
	"context"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
)

// Compact implements backend.Agent. For the agent a compaction is a turn; it does not report the summary.
func (a *agent) Compact(ctx context.Context) (string, error) {
	frames, leave := a.conn.Enter()
	defer leave()
	compacted := false
	t := newTurn(a, func(u backend.Update, _ error) bool {
		_, done := u.(backend.Compacted)
		compacted = compacted || done
		return true
	})
	defer t.close()
	request, err := a.conn.Send("thread/compact/start", threadID{a.id})
	if err != nil {
		return "", err
	}
	take := func(f rpc.Frame) (over bool, err error) {
		switch {
		case f.Request():
			refuse(a.conn, f)
			return false, nil
		case f.Method == "" && f.ID == request && f.Err != nil && a.conn.Alive():
			t.last = t.failed(a.refused("thread/compact/start", f.Err))
			return true, nil
		}
		return t.take(f)
	}
	loop := backend.Loop[rpc.Frame]{
		Process: a.process, Frames: frames, Take: take, Waits: func() bool { return false }, Silence: a.backend.o.Silence,
		Interrupt: t.interrupt, Timer: t.idle.C, Expired: t.readEnd,
	}
	if err := loop.Run(ctx); err != nil {
		a.closed.Store(true)
		return "", err
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case t.last.Failure != nil:
		return "", t.last.Failure
	case t.last.Reason != event.TurnCompleted || !compacted:
		return "", a.process.Failure(backend.CodeRefused, "the conversation was not compacted")
	}
	return "", nil
}
