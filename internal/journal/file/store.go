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

// Options configure a Store; the zero value is valid.
type Options struct {
	// OpenFile opens journals for writing; nil: os.OpenFile.
	OpenFile func(name string, flag int, perm fs.FileMode) (File, error)
	// SyncFile puts a journal on disk that is open for reading; nil: fsync.
	SyncFile func(*os.File) error
	// Rebuilding is called while a list rebuilds the index: done journals of total were read. Its calls do not overlap. In the last
	// one both are equal, also after an error. nil: it is not called.
	Rebuilding func(done, total int)
}

// A File is a file to which a journal is written, such as an os.File.
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
	root     string // absolute
	opts     Options
	notifier notifier // of records
	requests notifier // of requests for leases

	mu     sync.Mutex // guards the rest
	leases map[event.SessionID]*lease
	index  *index // nil until List needs it
	socket string // where this process takes clients; "": it is no host
	closed bool
}

var (
	_ journal.Store          = (*Store)(nil)
	_ journal.LeaseRequester = (*Store)(nil)
	_ journal.LineReader     = (*Store)(nil)
)

// Open returns the store in the folder root. It does not change the disk; missing folders are
// created with the first session.
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
	if opts.SyncFile == nil {
		opts.SyncFile = syncFile
	}
	return &Store{
		root: root, opts: opts, leases: map[event.SessionID]*lease{},
		requests: notifier{watcher: watcher{only: wantedName}},
	}, nil
}

// Location returns the session's folder; "" for an invalid id.
func (s *Store) Location(id event.SessionID) string {
	if !journal.ValidID(id) {
		return ""
	}
	return s.folder(id)
}

// SetSocket sets where this process takes clients, an absolute path. The errors of processes that are refused a session which
// this one has name it.
func (s *Store) SetSocket(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.socket = path
}

// Deferred implements journal.Store: the system has what was appended.
func (s *Store) Deferred() bool { return false }

// Close ends all calls of Follow and AwaitRequest with ErrClosed, and List. Leases are closed by their holders.
func (s *Store) Close() error {
	s.mu.Lock()
	s.index, s.closed = nil, true
	s.mu.Unlock()
	return errors.Join(s.notifier.close(), s.requests.close())
}

// checkUsable returns ErrClosed after Close, and else the error of ctx.
func (s *Store) checkUsable(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return journal.ErrClosed
	}
	return ctx.Err()
}

// ownLease returns this store's own lease of a session; nil if it has none.
func (s *Store) ownLease(id event.SessionID) *lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leases[id]
}

func (s *Store) register(l *lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases[l.id] = l
}

// unregister also notifies the session's followers: from now on they must watch for other writers.
func (s *Store) unregister(l *lease) {
	s.mu.Lock()
	delete(s.leases, l.id)
	s.mu.Unlock()
	s.notifier.notify(l.id)
}

// readLimit returns the offset up to which a session's journal may be read, in bytes. The writer
// may still remove lines after it.
func (s *Store) readLimit(id event.SessionID) int64 {
	if l := s.ownLease(id); l != nil {
		return l.written.Load()
	}
	return math.MaxInt64
}
