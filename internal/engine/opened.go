package engine

import "parley.dev/parley/internal/event"

// An Opened is a session that this process has created or opened, and may write.
type Opened struct {
	Session *Session
	From    uint64 // the number of the first record that this process may have written
	Others  bool   // what comes first is of another process, up to event.SyncEnded
	Work    Work   // zero: the session works for no tool call
}

// Work is the tool call that a subagent works for.
type Work struct {
	Session event.SessionID
	Turn    event.TurnID
	Call    event.CallID
	Agent   string // the kind of the subagent
}

// reportOpened reports a session to Config.Opened. The caller does not hold the lock of the session.
func (h *Host) reportOpened(o Opened) {
	if h.cfg.Opened == nil {
		return
	}
	o.Work = o.Session.opts.work
	h.cfg.Opened(o)
}
