package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// Options are what a Store can be told; the zero value will do.
type Options struct {
	// OpenFile opens journals for writing; nil: os.OpenFile.
	OpenFile func(name string, flag int, perm fs.FileMode) (File, error)
}

// A File is what a journal is written to, as by os.File.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// A Store is a journal.Store in a folder.
type Store struct {
	root  string // absolute
	opts  Options
	wakes wakes

	mu     sync.Mutex // guards the rest
	leases map[event.SessionID]*lease
	index  *index // nil until List needs it
	closed bool
}

var _ journal.Store = (*Store)(nil)

// Open gives the store in the folder root. It touches nothing on disk; what is missing is
// made when the first session is created.
func Open(root string, opts Options) (*Store, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open journal store: %w", err)
	}
	if opts.OpenFile == nil {
		opts.OpenFile = func(name string, flag int, perm fs.FileMode) (File, error) {
			return os.OpenFile(name, flag, perm)
		}
	}
	return &Store{root: root, opts: opts, leases: map[event.SessionID]*lease{}}, nil
}

// Location is the session's folder; "" for what cannot be a session.
func (s *Store) Location(id event.SessionID) string {
	if !valid(id) {
		return ""
	}
	return s.folder(id)
}

// Close ends all Follows with ErrClosed, and List. Leases are closed by their holders.
func (s *Store) Close() error {
	s.mu.Lock()
	ix := s.index
	s.index, s.closed = nil, true
	s.mu.Unlock()
	err := s.wakes.close()
	if ix != nil {
		err = errors.Join(err, ix.close())
	}
	return err
}

// usable is ErrClosed after Close, else the error of ctx.
func (s *Store) usable(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return journal.ErrClosed
	}
	return ctx.Err()
}

// leased is this store's own lease of a session, nil if it has none.
func (s *Store) leased(id event.SessionID) *lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leases[id]
}

func (s *Store) register(l *lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases[l.id] = l
}

// unregister also wakes the session's followers: from now on they must look for writers
// elsewhere.
func (s *Store) unregister(l *lease) {
	s.mu.Lock()
	delete(s.leases, l.id)
	s.mu.Unlock()
	s.wakes.wake(l.id)
}

// written is how far a session's journal may be read, in bytes. A line that stands further
// may still be taken back by its writer.
func (s *Store) written(id event.SessionID) int64 {
	if l := s.leased(id); l != nil {
		return l.written.Load()
	}
	return math.MaxInt64
}
