package native

import (
	"bufio"
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// serve relays over one connection until that ends, and reports whether the relay is over with it.
func (l *relay) serve(ctx context.Context, remote Remote) (over bool) {
	defer context.AfterFunc(ctx, func() { _ = remote.Close() })()
	l.resume(remote)
	sending := dialect.NewGroup(l.conn.out)
	sending.Go(func() { l.send(remote) })
	over = l.receive(remote)
	l.mu.Lock()
	l.broken = true
	l.wake.Broadcast()
	l.mu.Unlock()
	_ = remote.Close()
	sending.Wait()
	l.mu.Lock()
	l.broken = false
	over = over || ctx.Err() != nil || l.inputEnd && len(l.pending) == 0
	l.mu.Unlock()
	if over {
		l.failAll(errClosing)
		return true
	}
	l.failPending((*pending).retry)
	return false
}

// resume follows the session again as the client does, after the last record that it was sent.
func (l *relay) resume(remote Remote) {
	l.mu.Lock()
	follow, last := l.follow, l.last
	l.mu.Unlock()
	if follow == nil {
		return
	}
	again := *follow
	again.From = last + 1
	// What fails is noticed by receive.
	_, _ = remote.Write(append(frames.AppendRequest(nil, relayID, "session/follow", value(again)), '\n'))
}

// send writes requests as they come, until the connection ends.
func (l *relay) send(remote Remote) {
	for {
		line, end := l.next()
		if line == nil {
			if end {
				_ = remote.CloseWrite()
			}
			return
		}
		if _, err := remote.Write(append(line, '\n')); err != nil {
			return // receive notices it
		}
	}
}

// next waits for the next request, and returns its line; nil: the connection or, if end is set, the input has ended.
func (l *relay) next() (line []byte, end bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if l.broken {
			return nil, false
		}
		for _, p := range l.pending {
			if !p.sent {
				p.sent = true
				return p.line[:len(p.line):len(p.line)], false
			}
		}
		if l.inputEnd {
			return nil, true
		}
		l.wake.Wait()
	}
}

// A remoteLine is what a relay needs to know of a line of another host.
type remoteLine struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		Reason string `json:"reason"`
		Record struct {
			Seq uint64 `json:"seq"`
		} `json:"record"`
	} `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code int `json:"code"`
		Data struct {
			Kind string `json:"kind"`
		} `json:"data"`
	} `json:"error"`
}

// receive passes lines to the client until the connection ends, or the session is not there any more. It reports whether
// the session is closed for the client.
func (l *relay) receive(remote Remote) (over bool) {
	lines := bufio.NewReaderSize(remote, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return false
		}
		line = line[:len(line)-1]
		var r remoteLine
		if json.Unmarshal(line, &r) != nil {
			l.conn.cfg.Log.Error("a line of another host is not readable", "session", l.session)
			return false
		}
		goes, over := l.pass(line, r)
		if !goes {
			return over
		}
	}
}

// pass passes a line to the client. It reports whether more lines are expected, and else whether the relay is over.
func (l *relay) pass(line []byte, r remoteLine) (more, over bool) {
	switch {
	case r.Method == "record":
		l.note(r.Params.Record.Seq)
		l.conn.out.Put(line)
	case r.Method == "session/closed":
		switch r.Params.Reason {
		case "moved", "closing", handedOver: // the client need not notice it
			l.setOwner(Place{})
			return false, false
		}
		l.conn.relays.remove(l)
		l.conn.out.Put(line)
		return false, true
	case r.Method == "host/closing": // it is not the client's host
	case r.Method != "":
		l.conn.out.Put(line)
	case string(r.ID) == relayID:
		if r.Error != nil {
			l.setOwner(Place{})
		}
		return r.Error == nil, false
	default:
		return l.answer(line, r)
	}
	return true, false
}

// note notes that the client is sent a record.
func (l *relay) note(seq uint64) {
	if seq == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = max(l.last, seq)
}

// answer passes the answer to a request to the client.
func (l *relay) answer(line []byte, r remoteLine) (more, over bool) {
	p := l.answered(r)
	switch {
	case p == nil:
		return true, false
	case !p.sent: // the other host does not have the session any more
		l.setOwner(Place{})
		return false, false
	case r.Error != nil:
		if p.unknown && p.isAnswer() {
			l.conn.fail(p.request.id, p.outcomeUnknown())
		} else {
			l.conn.out.Put(line)
		}
		return !l.unused(), l.unused()
	}
	switch p.request.method {
	case "session/open":
		line = l.opening(p, r.Result, line)
	case "session/close", "session/remove":
		l.conn.relays.remove(l)
		l.conn.out.Put(line)
		return false, true
	}
	l.conn.out.Put(line)
	return true, false
}

// opening returns the answer to session/open with the host that has the session.
func (l *relay) opening(p *pending, result jsontext.Value, line []byte) []byte {
	var opened Opened
	if json.Unmarshal(result, &opened) != nil {
		return line
	}
	place, _ := l.owner()
	opened.Via = &RelayHost{Host: place.host(), Name: place.Name}
	via := append([]byte(`,"via":`), value(opened.Via)...)
	end := len(result) - 1
	result = append(append(append([]byte{}, result[:end]...), via...), '}')
	return frames.AppendResult(nil, p.request.id, result)
}

// answered returns the request of an answer, which does not wait any more; or, if it was sent to a host that does not have
// the session, one that is not sent yet. nil: it was refused by a host that takes nothing new, and waits for the next one.
func (l *relay) answered(r remoteLine) *pending {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, p := range l.pending {
		if !p.sent || string(p.request.id) != string(r.ID) {
			continue
		}
		switch {
		case r.Error == nil:
		case r.Error.Code == CodeInUse:
			p.sent, l.broken = false, true // it is not sent again there
			return p
		case r.Error.Code == CodeBusy && r.Error.Data.Kind == "closing":
			p.refused = true
			return nil
		}
		l.pending = append(l.pending[:i:i], l.pending[i+1:]...)
		p.release()
		if r.Error == nil {
			l.opened = true
			l.apply(p)
		}
		return p
	}
	return nil
}

// apply notes what a request that succeeded changes in what the client follows. The caller holds l.mu.
func (l *relay) apply(p *pending) {
	switch params := p.params.(type) {
	case *SessionFollowParams:
		l.follow, l.last = params, max(params.From, 1)-1
	case *SessionParams:
		if p.request.method == "session/unfollow" {
			l.follow = nil
		}
	}
}

// retry prepares a request whose connection has ended for the next one. An error: its outcome is not known, and it
// must not be repeated.
func (p *pending) retry() error {
	p.unknown = p.unknown || p.sent && !p.refused
	if p.unknown && !p.method.repeats {
		return p.outcomeUnknown()
	}
	p.sent, p.refused = false, false
	return nil
}

// outcomeUnknown returns the error of a request that may have been done.
func (p *pending) outcomeUnknown() error {
	return failure(CodeUnsaved, "the connection to the host of the session has ended: it is not known whether "+p.request.method+" was done",
		ErrorData{Kind: "unsaved", Outcome: "unknown"})
}

// failure returns the error of a request that is given up: err, which says that it was not done, or, if it was sent and may
// have been done, that its outcome is unknown.
func (p *pending) failure(err error) error {
	if p.method.level > rights.Viewer && (p.unknown || p.sent && !p.refused) {
		return p.outcomeUnknown()
	}
	return err
}

// isAnswer reports whether the request answers an approval or a question. Unlike a prompt, which has an id, the second answer
// is refused if the first was taken.
func (p *pending) isAnswer() bool {
	return p.request.method == "approval/answer" || p.request.method == "question/answer"
}

// failPending answers the requests for which err returns an error.
func (l *relay) failPending(err func(*pending) error) {
	l.mu.Lock()
	var failed []*pending
	var why []error
	rest := l.pending[:0:0]
	for _, p := range l.pending {
		if e := err(p); e != nil {
			failed, why = append(failed, p), append(why, p.failure(e))
		} else {
			rest = append(rest, p)
		}
	}
	l.pending = rest
	l.mu.Unlock()
	for i, p := range failed {
		l.conn.fail(p.request.id, why[i])
		p.release()
	}
}

// failAll answers all requests, and ends the relay.
func (l *relay) failAll(err error) {
	l.conn.relays.remove(l)
	l.failPending(func(*pending) error { return err })
}

// unreachable returns the error of a request about a session of a host that cannot be reached.
func unreachable(p Place) *jsonrpc.Error {
	return failure(CodeUnreachable, "the session is on the host "+p.Name+", which cannot be reached", ErrorData{Kind: "unreachable", Owner: p.Owner})
}
