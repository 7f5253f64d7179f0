package dialect

import (
	"iter"
	"sync"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
)

// A Pump carries a session's records, and the connection's own replies, to the outbox in
// the order in which they came to be: a reply never overtakes a record that was there
// before it. Replying never waits for records to be written.
type Pump struct {
	session *engine.Session
	out     *wire.Outbox

	mu      sync.Mutex
	done    uint64     // the last durable record that was rendered
	ended   bool       // no record will come any more
	waiting []reply    // oldest first
	held    int        // verbs whose answer is not there yet
	free    *sync.Cond // of held
}

type reply struct {
	after uint64
	lines func() [][]byte // called when its place is reached
}

// NewPump is a pump that has nothing rendered yet.
func NewPump(s *engine.Session, out *wire.Outbox) *Pump {
	p := &Pump{session: s, out: out}
	p.free = sync.NewCond(&p.mu)
	return p
}

// Run renders the records of a Session.Follow until they end. Call it once.
func (p *Pump) Run(records iter.Seq2[event.Record, error], render func(event.Record) [][]byte) error {
	defer p.end()
	for rec, err := range records {
		if err != nil {
			return err
		}
		p.pass()
		for _, line := range render(rec) {
			p.out.Put(line)
		}
		if rec.Seq != 0 {
			p.rendered(rec.Seq)
		}
	}
	return nil
}

// Skip says, before Run, that records up to seq are not rendered: the client knows them.
func (p *Pump) Skip(seq uint64) { p.rendered(seq) }

// Reply sends lines of the connection's own behind every record that exists now.
func (p *Pump) Reply(lines ...[]byte) { p.Later(func() [][]byte { return lines }) }

// Later is Reply with lines that are made when their place is reached: what was rendered
// by then is all that was there when Later was called.
func (p *Pump) Later(lines func() [][]byte) {
	head := p.session.Head()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.place(reply{head, lines})
}

// place sends a reply once its place is reached.
func (p *Pump) place(r reply) {
	if r.after > p.done && !p.ended {
		p.waiting = append(p.waiting, r)
		return
	}
	p.post(r)
}

// Around sends what verb returns, behind the records that were there before it and before
// every record that it causes: so an answer precedes the events that follow from it. A
// verb must not wait for a client.
func (p *Pump) Around(verb func() [][]byte) { p.At(func(uint64) [][]byte { return verb() }) }

// At is Around for a verb that tells of the past: head is the last record that comes before
// the answer, and nothing behind it has been sent.
func (p *Pump) At(verb func(head uint64) [][]byte) {
	p.mu.Lock()
	p.held++
	p.mu.Unlock()
	head := p.session.Head() // not before: what the pump has let pass until now is sent before the answer
	lines := verb(head)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.place(reply{head, func() [][]byte { return lines }})
	if p.held--; p.held == 0 {
		p.free.Broadcast()
	}
}

// pass waits while an answer is on its way that may have to come first.
func (p *Pump) pass() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held > 0 {
		p.free.Wait()
	}
}

func (p *Pump) rendered(seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = seq
	for len(p.waiting) > 0 && p.waiting[0].after <= seq {
		p.post(p.waiting[0])
		p.waiting = p.waiting[1:]
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
}

func (p *Pump) post(r reply) {
	for _, line := range r.lines() {
		p.out.Post(line)
	}
}
