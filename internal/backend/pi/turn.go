package pi

import (
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A turn is a prompt that pi works on. Pi may work several times on it: agent_end is not the end where it tries again, goes on
// after a compaction, or has got a further prompt, and none of that is in the event. What follows is written right after it,
// though, so that the state of pi, once it is requested and arrives, comes after it.
type turn struct {
	agent  *agent
	prompt jsonrpc.ID // of the command
	yield  func(backend.Update, error) bool
	over   bool // nothing more is yielded

	calls map[string]*call // by pi's ids: the last one of each
	ids   map[string]int   // how many calls had the id
	asks  atomic.Int64     // dialogs that wait

	answer      int  // number of the answer under way
	grown       bool // more of it was yielded
	stop        string
	failure     string // of the last answer
	interrupted bool

	accepted bool        // the prompt
	probe    jsonrpc.ID  // of get_state, under way; "": none is
	probed   int         // changes when it was sent
	checks   int         // states in a row that were not the end
	again    *time.Timer // requests the state

	mu         sync.Mutex // guards what follows, for Steer
	running    bool       // between agent_start and agent_end
	retrying   bool       // it waits before it tries again
	compacting bool
	expected   bool // agent_start follows
	changes    int  // of what is above, and further prompts
	steers     int  // further prompts without an answer
	closed     bool // no further prompt is taken
}

const (
	settleEvery = 100 * time.Millisecond
	maxChecks   = 10
)

func newTurn(a *agent, yield func(backend.Update, error) bool) *turn {
	t := &turn{agent: a, yield: yield, calls: map[string]*call{}, ids: map[string]int{}, again: time.NewTimer(settleEvery)}
	t.again.Stop()
	return t
}

// send yields an update.
func (t *turn) send(u backend.Update, err error) {
	if !t.over && !t.yield(u, err) {
		t.over = true
	}
}

// waits reports whether pi may say nothing for any time: a dialog waits, or a call that has shown output runs.
func (t *turn) waits() bool {
	if t.asks.Load() > 0 {
		return true
	}
	for _, c := range t.calls {
		if c.text != "" && !c.ended {
			return true
		}
	}
	return false
}

// interrupt has pi end what it does.
func (t *turn) interrupt() error {
	t.interrupted = true
	return t.agent.conn.Notify("abort", nil)
}

// set changes what pi is known to do.
func (t *turn) set(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	t.changes++
	t.checks = 0
}

// started takes agent_start. One that comes after the interrupt was on its way before.
func (t *turn) started() error {
	t.set(func() { t.running, t.retrying, t.expected = true, false, false })
	if t.interrupted {
		return t.interrupt()
	}
	return nil
}

// beginSteer reports whether a further prompt can be given, and whether pi has to queue it, since it does not work just now.
func (t *turn) beginSteer() (queue, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false, false
	}
	t.steers++
	t.changes++
	return t.retrying || t.compacting || t.expected, true
}

// endSteer is called when pi has answered to a further prompt.
func (t *turn) endSteer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steers--
	t.changes++
	if !t.closed {
		t.again.Reset(0)
	}
}

// close has no further prompt taken.
func (t *turn) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.again.Stop()
}

// settle requests the state of pi, if nothing is known to run.
func (t *turn) settle() {
	t.mu.Lock()
	idle := t.accepted && !t.running && !t.retrying && !t.compacting && !t.expected && t.steers == 0 && t.probe == ""
	if idle {
		t.probed = t.changes
	}
	t.mu.Unlock()
	if !idle {
		return
	}
	if id, err := t.agent.conn.Send("get_state", nil); err == nil { // the reader finds out that the process is gone
		t.probe = id
	}
}

// settled takes the state of pi, and reports whether the turn is over.
func (t *turn) settled(f rpc.Frame) (over bool, err error) {
	t.probe = ""
	var s state
	if f.Err == nil {
		if err := t.agent.conn.Decode("get_state", f.Result, &s); err != nil {
			return false, err
		}
	}
	t.mu.Lock()
	stale := t.changes != t.probed
	busy := s.IsStreaming || s.IsCompacting
	last := t.checks >= maxChecks
	end := !stale && !busy && (s.Pending == 0 || last || t.interrupted)
	if end {
		t.closed = true
	}
	t.checks++
	t.mu.Unlock()
	switch {
	case end:
		t.end()
		return true, nil
	case stale:
		t.settle()
	case !last:
		t.again.Reset(settleEvery) // it goes on with what is queued, or has not written that it began
	}
	return false, nil
}

// accept takes the answer to the prompt, and reports whether the turn is over.
func (t *turn) accept(f rpc.Frame) (over bool, err error) {
	if f.Err == nil {
		t.accepted = true
		t.settle() // a command of an extension ends without an event
		return false, nil
	}
	err = t.agent.refused("prompt", f.Err)
	failed, ok := err.(*backend.Error)
	if !ok || !t.agent.conn.Alive() {
		return false, err
	}
	t.close()
	t.send(backend.End{Reason: event.TurnFailed, Failure: failed}, nil)
	return true, nil
}

// end yields the end of the turn.
func (t *turn) end() {
	e := backend.End{Reason: event.TurnCompleted}
	switch t.stop {
	case "length":
		e.Reason = event.TurnMaxTokens
	case "aborted":
		e.Reason = event.TurnInterrupted
	case "error":
		e.Reason = event.TurnFailed
	}
	if t.interrupted && e.Reason == event.TurnFailed {
		e.Reason = event.TurnInterrupted
	}
	if e.Reason == event.TurnFailed {
		e.Failure = t.agent.process.Failure(backend.CodeRefused, firstOf(t.failure, "its model has failed"))
	}
	t.send(e, nil)
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
