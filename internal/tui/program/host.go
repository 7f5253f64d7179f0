package program

import (
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/internal/tui/screen"
	"parley.dev/parley/record"
)

// A host is the connection of a screen, with what comes unrequested as messages. It is a [screen.Host].
type host struct {
	*link.Link
	send  func(tea.Msg)
	guard *guard

	mu     sync.Mutex
	cancel context.CancelFunc // ends what is received; nil: nothing is
}

// Receive ends the records of the session that is followed, and begins those of another one from a number on.
func (h *host) Receive(session string, from uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cancel != nil {
		h.cancel()
		h.cancel = nil
	}
	if session == "" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel = cancel
	h.guard.goRun(func() { h.receive(ctx, session, from) })
}

// receive sends the records of a session to the screen, as many at once as have come.
func (h *host) receive(ctx context.Context, session string, from uint64) {
	b := newBatches()
	h.guard.goRun(func() {
		for {
			records, err := b.take(ctx)
			if ctx.Err() != nil {
				return
			}
			if len(records) > 0 {
				h.send(screen.Records{Session: session, Records: records})
			}
			if err != nil {
				h.send(screen.Failure{Err: err})
			}
			if records == nil {
				return
			}
		}
	})
	for rec, err := range h.Follow(ctx, session, from) {
		if err != nil {
			b.end(err)
			return
		}
		if !b.add(ctx, rec) {
			return
		}
	}
	b.end(nil)
}

// end ends what is received.
func (h *host) end() { h.Receive("", 0) }

// connection sends the state of the connection to the screen.
func (h *host) connection(lost bool) {
	// The link waits for the caller, and the screen for the link.
	h.guard.goRun(func() { h.send(screen.Connection{Lost: lost}) })
}

// watch sends what the sessions of the host are to the screen.
func (h *host) watch(ctx context.Context) {
	for s, err := range h.Watch(ctx) {
		if err != nil {
			return // ctx has ended
		}
		h.send(screen.SessionChanged{ChangedSession: s})
	}
}

// batchLimit is how many bytes of records wait for the screen.
const batchLimit = 4 << 20

// batches are records that wait for a slow reader.
type batches struct {
	mu      sync.Mutex
	records []record.Record
	size    int
	err     error
	ended   bool
	changed chan struct{} // holds a value when a record came
	taken   chan struct{} // holds a value when records were taken
}

func newBatches() *batches {
	return &batches{changed: make(chan struct{}, 1), taken: make(chan struct{}, 1)}
}

// errEnded is the end of a session for all clients.
var errEnded = errors.New("the session was closed for all clients")

// add adds a record, and waits if there are many. False: ctx has ended.
func (b *batches) add(ctx context.Context, r record.Record) bool {
	for {
		b.mu.Lock()
		if b.size <= batchLimit {
			b.records = append(b.records, r)
			b.size += len(r.Data)
			b.mu.Unlock()
			wake(b.changed)
			return true
		}
		b.mu.Unlock()
		select {
		case <-b.taken:
		case <-ctx.Done():
			return false
		}
	}
}

// end adds why no record comes any more; nil: the session has ended.
func (b *batches) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err = err; err == nil {
		b.err = errEnded
	}
	b.ended = true
	wake(b.changed)
}

// take waits for records and returns them; nil: there are no more, which err explains.
func (b *batches) take(ctx context.Context) ([]record.Record, error) {
	for {
		b.mu.Lock()
		records, ended, err := b.records, b.ended, b.err
		b.records, b.size = nil, 0
		b.mu.Unlock()
		wake(b.taken)
		switch {
		case len(records) > 0:
			return records, nil
		case ended:
			return nil, err
		}
		select {
		case <-b.changed:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
