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
	done    uint64  // the last durable record that was rendered
	ended   bool    // no record will come any more
	waiting []reply // oldest first
}

type reply struct {
	after uint64
	lines [][]byte
}

// NewPump is a pump that has nothing rendered yet.
func NewPump(s *engine.Session, out *wire.Outbox) *Pump { return &Pump{session: s, out: out} }

// Run renders the records of a Session.Follow until they end. Call it once.
func (p *Pump) Run(records iter.Seq2[event.Record, error], render func(event.Record) [][]byte) error {
	defer p.end()
	for rec, err := range records {
		if err != nil {
			return err
		}
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
func (p *Pump) Reply(lines ...[]byte) {
	head := p.session.Head()
	p.mu.Lock()
	defer p.mu.Unlock()
	if head > p.done && !p.ended {
		p.waiting = append(p.waiting, reply{head, lines})
		return
	}
	p.post(lines)
}

func (p *Pump) rendered(seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = seq
	for len(p.waiting) > 0 && p.waiting[0].after <= seq {
		p.post(p.waiting[0].lines)
		p.waiting = p.waiting[1:]
	}
}

func (p *Pump) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, r := range p.waiting {
		p.post(r.lines)
	}
	p.waiting = nil
}

func (p *Pump) post(lines [][]byte) {
	for _, line := range lines {
		p.out.Post(line)
	}
}
