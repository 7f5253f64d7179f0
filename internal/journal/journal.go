package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"parley.dev/parley/internal/event"
)

// The errors that callers branch on.
var (
	ErrNotFound = errors.New("no such session")
	ErrExists   = errors.New("session exists")
	ErrStale    = errors.New("stale writer: the journal's head is not what was expected")
	ErrClosed   = errors.New("journal is closed")
	ErrCursor   = errors.New("not a cursor of this list")
)

// A LockedError says that another process, or another part of this one, has the lease.
type LockedError struct {
	ID  event.SessionID
	PID int // 0: unknown
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("session %s is in use by another process", e.ID)
	}
	return fmt.Sprintf("session %s is in use by process %d", e.ID, e.PID)
}

// A DamageError names the first place where a journal is not what was written. What stands
// before it is good.
type DamageError struct {
	Path   string
	Offset int64  // of the first bad byte's line
	Seq    uint64 // of the record that should stand there
	Reason string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged at byte %d (record %d): %s", e.Path, e.Offset, e.Seq, e.Reason)
}

// A Store holds the journals of many sessions. It is safe for concurrent use, also by
// several processes.
type Store interface {
	// Create begins a journal with its first records, the first of them SessionCreated
	// with Seq 1, on disk when it returns, and takes the lease. ErrExists if the id is taken.
	Create(ctx context.Context, id event.SessionID, records []event.Record) (Journal, error)
	// Lease opens a journal for writing. A torn last line is cut off. *LockedError,
	// ErrNotFound, *DamageError.
	Lease(ctx context.Context, id event.SessionID) (Journal, error)
	// Resume is Lease that shows every record on the way, so that a journal is read once
	// and not twice. An error of each ends it, and is returned.
	Resume(ctx context.Context, id event.SessionID, each func(event.Record) error) (Journal, error)
	// Read yields the durable records from number from on (0 and 1: all), without a lease.
	// A torn last line ends it without an error. ErrNotFound, *DamageError.
	Read(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error]
	// Follow is Read that waits for more at the end, until ctx is done (its error is yielded).
	Follow(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error]
	// Blob reads a blob of a session without a lease. ErrNotFound if there is no such
	// session, fs.ErrNotExist if it has no such blob, *DamageError.
	Blob(ctx context.Context, id event.SessionID, address string) ([]byte, error)
	// List pages sessions, the last updated first, without reading their journals. ErrCursor.
	List(ctx context.Context, q Query) (Page, error)
	// Remove deletes a session that nobody has leased. *LockedError, ErrNotFound.
	Remove(ctx context.Context, id event.SessionID) error
	// Location is where the session lies, for people; "" if that means nothing.
	Location(id event.SessionID) string
	Close() error
}

// A Journal is a leased session: its holder alone may write. Its methods are safe for
// concurrent use.
type Journal interface {
	ID() event.SessionID
	// Head is the number of the last record.
	Head() uint64
	// Append writes records, all or none, in one write. expected must be Head, else
	// ErrStale; the records are numbered expected+1 and on. It does not wait for the disk.
	Append(expected uint64, records []event.Record) error
	// Sync waits until everything appended is on disk.
	Sync() error
	// Read is Store.Read.
	Read(ctx context.Context, from uint64) iter.Seq2[event.Record, error]
	// PutBlob keeps data beside the journal, on disk when it returns, and gives its
	// content address; the same data gives the same address.
	PutBlob(data []byte) (string, error)
	// Blob reads it back.
	Blob(address string) ([]byte, error)
	// Close syncs and gives the lease back.
	Close() error
}

// A Query chooses sessions to list.
type Query struct {
	Workspace string // only sessions that work there; "": all
	Archived  bool   // the archived ones instead of the others
	Search    string // part of the title, name or id, case-insensitive; "": all
	Limit     int    // 0: 50
	Cursor    string // Page.Next of the page before; "": the first page
	Skip      int    // how many to pass over first, where a protocol counts instead
	Count     bool   // Page.Total is wanted
}

// A Page is part of a list.
type Page struct {
	Sessions []Summary `json:"sessions"`
	Next     string    `json:"next,omitzero"`  // "": the last page
	Total    int       `json:"total,omitzero"` // of all pages, if it was asked for
}

// A Summary is what a list shows of a session; it is a fold of its records.
type Summary struct {
	ID        event.SessionID `json:"id"`
	Workspace string          `json:"workspace"` // where it works now
	Name      string          `json:"name,omitzero"`
	Title     string          `json:"title,omitzero"` // the first prompt, one line of at most 120 runes
	Model     string          `json:"model,omitzero"`
	Created   time.Time       `json:"created"`
	Updated   time.Time       `json:"updated"`
	Turns     int             `json:"turns"`
	Archived  bool            `json:"archived,omitzero"`
	Parent    event.SessionID `json:"parent,omitzero"`
}
