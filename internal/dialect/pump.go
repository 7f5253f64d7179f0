package dialect

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// A Pump carries a session's records, and the connection's own replies, to the outbox in
// the order in which they came to be: a reply never overtakes a record that was there
// before it. Records without a number are the exception: it can overtake one that is being rendered. So are records
// that a deferred store does not acknowledge in time: replies are not kept back by them for longer. Replying
// never waits for records to be written.
type Pump struct {
	session *engine.Session
	out     *Output
	// Others sends also what turns of other processes cause; else the client sees only what
	// is between those turns.
	Others bool
	// Visible has a reply wait only for the records that followers may receive now: not for those that a
	// deferred store has not acknowledged. The caller awaits what it replies about; see engine.Session.AwaitStored.
	Visible bool
	// Numbers sends all records of a turn also if the client has received its end before they could be saved, since it counts
	// the records.
	Numbers bool
	// Moved, if not nil, is called once after the last record of a session that has moved to another process, with the
	// error that names it: what waits for a record that will not come is answered then.
	Moved func(error)
	// Replies orders the replies of this pump, and among others of the connection if it is shared.
	// Records that follow a reply wait until it is sent.
	Replies *Replies

	ctx  context.Context // ends when records are not to be sent any more
	stop context.CancelFunc

	mu      lock.Mutex
	done    uint64      // the last durable record that was rendered
	last    uint64      // the last record to be sent; 0: there is none yet
	ended   bool        // no record will come any more
	waiting []reply     // in the order of reply.after
	expiry  *time.Timer // of expire; nil: none runs
	held    int         // verbs whose answer is not there yet
	unsaved unsavedTurn
	unsent  <-chan struct{} // closed when the last reply is sent; nil: there was none
	free    *sync.Cond      // of held
}

type reply struct {
	after    uint64
	lines    func() [][]byte // called when its place is reached
	reserved *reserved       // in Pump.Replies
}

// NewPump returns a pump that has rendered nothing yet. Its Replies are its own.
func NewPump(s *engine.Session, out *Output) *Pump {
	p := &Pump{session: s, out: out, Replies: NewReplies(out)}
	p.free = sync.NewCond(&p.mu)
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// Context is for Log.Follow: it ends when no more records are to be sent.
func (p *Pump) Context() context.Context { return p.ctx }

// Leave ends what a connection has of the session: client leaves it, and it is closed if that was the last. Records are
// sent until the session is closed; of one that goes on, those that exist now.
func (p *Pump) Leave(ctx context.Context, client *engine.Client) error {
	client.Leave()
	err := p.session.Close(ctx)
	if errors.Is(err, engine.ErrUnsaved) {
		p.out.unsaved.Store(true)
	}
	if p.session.Ended() == "" {
		p.stopAfter(p.session.Log().Head())
	}
	return err
}

// Stop ends the sending of records now.
func (p *Pump) Stop() { p.stop() }

// stopAfter ends the sending of records after the one of that number.
func (p *Pump) stopAfter(seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = seq
	if p.done >= seq {
		p.stop()
	}
}

// Run renders the records of Log.Follow until they end. Call it once. The transient
// records need event.KindSyncStarted and event.KindSyncEnded among them.
func (p *Pump) Run(records iter.Seq2[event.Record, error], render func(event.Record) [][]byte) error {
	defer p.over()
	others := false // what comes is of another process
	for rec, err := range records {
		switch {
		case p.ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		p.pass()
		if !p.Numbers && p.unsaved.hides(rec) {
			p.passed(rec)
			continue
		}
		switch rec.Event.(type) {
		case event.SyncStarted:
			others = true
		case event.SyncEnded:
			others = false
		}
		for _, line := range render(rec) {
			if !others || p.Others || rec.Turn == "" {
				p.out.Put(line)
			}
		}
		p.passed(rec)
	}
	return nil
}

// passed notes that a record was rendered, or hidden.
func (p *Pump) passed(rec event.Record) {
	switch {
	case rec.Seq != 0:
		p.rendered(rec.Seq)
	case p.session.Log().Waited() >= ackLimit:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.expireNow()
	}
}

// Skip says, before Run, that records up to seq are not rendered: the client knows them.
func (p *Pump) Skip(seq uint64) { p.rendered(seq) }

// Rendered returns the number of the last durable record that was rendered.
func (p *Pump) Rendered() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// Begin sends lines before the first record. Call it before Run, and after Skip.
func (p *Pump) Begin(lines ...[]byte) {
	if len(lines) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.post(reply{lines: func() [][]byte { return lines }, reserved: p.Replies.reserve()})
}

// Reply sends lines of the connection's own after every record that exists now.
func (p *Pump) Reply(lines ...[]byte) { p.Later(func() [][]byte { return lines }) }

// Later is Reply with lines that are made when their place is reached: what was rendered
// by then is all that was there when Later was called.
func (p *Pump) Later(lines func() [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.reserve()
	r.lines = lines
	p.place(r)
}

// place sends a reply once its place is reached.
func (p *Pump) place(r reply) {
	if r.after > p.done && !p.ended {
		at := len(p.waiting)
		for at > 0 && p.waiting[at-1].after > r.after {
			at--
		}
		p.waiting = slices.Insert(p.waiting, at, r)
		p.expire()
		return
	}
	p.post(r)
}

// reserve returns a reply after every record that exists now, and after every reply before it. Both
// orders are fixed under the lock of the pump: if a later reply were placed after an earlier record,
// it could keep the pump from the records that an earlier reply waits for.
func (p *Pump) reserve() reply {
	head := p.session.State().Head
	if p.Visible || p.session.Log().Waited() >= ackLimit {
		head = p.session.Log().Head()
	}
	return reply{after: head, reserved: p.Replies.reserve()}
}

// expire has the replies that wait for records which a deferred store does not acknowledge sent after ackLimit.
func (p *Pump) expire() {
	waited := p.session.Log().Waited()
	if waited == 0 || p.Visible || p.expiry != nil {
		return
	}
	p.expiry = time.AfterFunc(ackLimit-waited, func() {
		defer p.out.Recover()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.expiry = nil
		if p.session.Log().Waited() >= ackLimit {
			p.expireNow()
		}
		if len(p.waiting) > 0 {
			p.expire()
		}
	})
}

// expireNow sends the replies that wait for records which are not stored.
func (p *Pump) expireNow() {
	head := p.session.Log().Head()
	for i := range p.waiting {
		p.waiting[i].after = min(p.waiting[i].after, head)
	}
	p.postWaiting()
}

// Around sends what verb returns, after the records that existed before it and before every record
// that it causes: so an answer precedes the events that follow from it. A verb must not wait for a
// client.
func (p *Pump) Around(verb func() [][]byte) { p.At(func(uint64) [][]byte { return verb() }) }

// At is Around for an answer that includes history: head is the last record before the answer, and no
// record after it has been sent.
func (p *Pump) At(verb func(head uint64) [][]byte) {
	p.answer(func(head uint64) func() [][]byte {
		lines := verb(head)
		return func() [][]byte { return lines }
	})
}

// AroundLater is Around for lines that are made when their place is reached, as those of Later are.
func (p *Pump) AroundLater(verb func() func() [][]byte) {
	p.answer(func(uint64) func() [][]byte { return verb() })
}

func (p *Pump) answer(verb func(head uint64) func() [][]byte) {
	r := p.hold()
	r.lines = func() [][]byte { return nil } // if verb panics
	defer func() { p.finish(r) }()
	r.lines = verb(r.after)
}

// AroundAwaited is Around for a verb that returns what waits for its answer: wait runs in a goroutine that start
// starts, so that other requests are handled meanwhile. Start, which is called after verb, may also run it itself.
func (p *Pump) AroundAwaited(start func(func()), verb func() (wait func() [][]byte)) {
	r := p.hold()
	r.lines = func() [][]byte { return nil } // if verb panics
	started := false
	defer func() {
		if !started {
			p.finish(r)
		}
	}()
	wait := verb()
	started = true
	start(func() {
		defer func() { p.finish(r) }()
		lines := wait()
		r.lines = func() [][]byte { return lines }
	})
}

// finish places the answer of a verb, which no longer keeps the pump from records.
func (p *Pump) finish(r reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.place(r)
	if p.held--; p.held == 0 {
		p.free.Broadcast()
	}
}

// hold keeps the pump from records that do not exist yet, and reserves the place of the answer:
// before the replies that are given while the verb runs.
func (p *Pump) hold() reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held++
	return p.reserve()
}

// pass waits while an answer is on its way that may have to come first.
func (p *Pump) pass() {
	if unsent := p.release(); unsent != nil {
		<-unsent // what is reserved before it belongs to pumps that do not wait for this one
	}
}

// release waits until no verb is held, and returns Pump.unsent.
func (p *Pump) release() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held > 0 {
		p.free.Wait()
	}
	return p.unsent
}

func (p *Pump) rendered(seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = seq
	if p.last > 0 && seq >= p.last {
		p.stop()
	}
	p.postWaiting()
}

// postWaiting sends the replies whose place is reached.
func (p *Pump) postWaiting() {
	for len(p.waiting) > 0 && p.waiting[0].after <= p.done {
		next := p.waiting[0]
		p.waiting = p.waiting[1:] // also if its lines panic
		p.post(next)
	}
}

// over is called when no record comes any more. What verbs have accepted is known to Moved.
func (p *Pump) over() {
	p.end()
	if p.Moved == nil {
		return
	}
	if err := p.session.Moved(); err != nil {
		p.release()
		p.Moved(err)
	}
}

func (p *Pump) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, r := range p.waiting {
		p.post(r)
	}
	p.waiting = nil
	if p.expiry != nil {
		p.expiry.Stop()
	}
}

func (p *Pump) post(r reply) {
	p.unsent = r.reserved.sent
	p.Replies.fill(r.reserved, r.lines)
}
