package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/stream"
)

// Options configure a Store; the zero value is valid.
type Options struct {
	// Visibility is how long a task that was pulled is not delivered again; 0: 30 s. All stores of a namespace need
	// the same value.
	Visibility time.Duration
}

const (
	defaultVisibility = 30 * time.Second
	// closeTimeout is how long Close may take to return tasks to their queues.
	closeTimeout = 2 * time.Second
)

// A Connector returns the connection to a namespace. It is called for each use of a Store.
type Connector func(ctx context.Context) (*cluster.Link, error)

// A Store is a batch.Store in a namespace of JetStream.
type Store struct {
	connect    Connector
	visibility time.Duration
	id         string        // unique among all stores, as the first part of the ids of entries
	entries    atomic.Uint64 // that were submitted
	lanes      *lanes
	memory     memory

	life context.Context // until Close
	end  context.CancelFunc

	mu      sync.Mutex // guards the rest
	ready   bool       // the namespace has the streams of batches
	pending map[*delivery]struct{}
	closed  bool
}

var _ batch.Store = (*Store)(nil)

// New returns the store of the namespace that connect connects to. Close does not end the connection.
func New(connect Connector, o Options) *Store {
	if o.Visibility == 0 {
		o.Visibility = defaultVisibility
	}
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	s := &Store{
		connect: connect, visibility: o.Visibility, id: hex.EncodeToString(id), lanes: newLanes(), pending: map[*delivery]struct{}{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Close returns the tasks to their queues that were pulled and not acknowledged.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	pending := s.pending
	s.pending = nil
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var naks sync.WaitGroup
	for d := range pending {
		naks.Go(func() { _ = d.answer(ctx, stream.Answer{Kind: stream.Nak}) }) // else it is delivered again later
	}
	naks.Wait()
	s.end()
	return nil
}

// A call is one use of a Store. Its context ends with the Store, too.
type call struct {
	context.Context
	link *cluster.Link
	end  func()
}

// begin connects. The caller calls end.
func (s *Store) begin(ctx context.Context) (*call, error) {
	s.mu.Lock()
	closed, ready := s.closed, s.ready
	s.mu.Unlock()
	if closed {
		return nil, batch.ErrClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	c := &call{Context: ctx, end: func() { stop(); cancel() }}
	var err error
	if c.link, err = s.connect(ctx); err == nil && !ready {
		err = s.check(ctx, c.link)
	}
	if err != nil {
		c.end()
		return nil, s.asClosed(err)
	}
	return c, nil
}

// check returns an error for a namespace that was made before there were batches.
func (s *Store) check(ctx context.Context, link *cluster.Link) error {
	for _, subject := range []string{link.Namespace.Batches(string(batch.DefinitionLog)), link.Namespace.Queue("*")} {
		_, err := stream.LastOnce(ctx, link, subject)
		if errors.Is(err, stream.ErrNoStream) {
			return fmt.Errorf("the namespace %s has no streams for batches; add them with `parley store init`", link.Namespace.Name)
		}
		if err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
	return nil
}

// asClosed returns ErrClosed for an error that Close has caused.
func (s *Store) asClosed(err error) error {
	if err != nil && (s.life.Err() != nil || errors.Is(err, cluster.ErrClosed)) {
		return batch.ErrClosed
	}
	return err
}
