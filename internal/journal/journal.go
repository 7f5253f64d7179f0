package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"parley.dev/parley/internal/event"
)

// The errors that callers branch on.
var (
	ErrNotFound = errors.New("no such session")
	ErrExists   = errors.New("session exists")
	ErrStale    = errors.New("stale writer: the journal's head is not what was expected")
	ErrClosed   = errors.New("journal is closed")
	ErrReleased = errors.New("the journal's lease was given back")
	ErrCursor   = errors.New("not a cursor of this list")
	// ErrFenced is the error of a journal whose session another process has taken over; see Journal.Lost.
	ErrFenced = fmt.Errorf("another process has taken the session over: %w", ErrStale)
)

// A LockedError reports that another process, or another part of this one, has the lease.
type LockedError struct {
	ID  event.SessionID
	PID int // 0: unknown
	// Busy reports that the holder needs the lease for a long time, see Journal.SetBusy. Otherwise
	// it releases the lease soon, or when that is requested (LeaseRequester), and the caller can wait.
	Busy bool
	// Owner is the store's identifier of the process that has the lease, if the store is shared by
	// several machines, and Host the name of its machine; "": the process is on this machine.
	Owner, Host string
	// Socket is where the process takes clients, if it is a host on this machine; "": it is none, or that is not known.
	Socket string
}

func (e *LockedError) Error() string {
	var text string
	switch {
	case e.Owner != "" && e.PID != 0:
		text = fmt.Sprintf("session %s is in use by process %d on host %s (%s)", e.ID, e.PID, e.Host, e.Owner)
	case e.Owner != "":
		text = fmt.Sprintf("session %s is in use on host %s (%s)", e.ID, e.Host, e.Owner)
	case e.PID == os.Getpid():
		text = fmt.Sprintf("session %s is in use by another session of this process", e.ID)
	case e.PID == 0:
		text = fmt.Sprintf("session %s is in use by another process", e.ID)
	case e.Socket != "":
		text = fmt.Sprintf("session %s is in use by process %d, a host", e.ID, e.PID)
	default:
		text = fmt.Sprintf("session %s is in use by process %d", e.ID, e.PID)
	}
	if remedy := e.Remedy(); remedy != "" {
		text += ": " + remedy
	}
	return text
}

// Remedy returns what makes the session available; "": the caller knows, since this process has it.
func (e *LockedError) Remedy() string {
	switch {
	case e.Owner != "":
		return "stop it there, or connect to that host"
	case e.PID == os.Getpid():
		return ""
	case e.PID != 0 && e.Socket != "":
		return "join the session there with parley tui, or a client with --host unix:" + e.Socket + ", or wait until its clients have left it"
	}
	return "wait until nothing runs there, or end that process"
}

// A DamageError reports the first line of a journal that is not as it was written. All lines
// before it are intact.
type DamageError struct {
	// ID is the session whose journal can be repaired; "": it cannot, or Path is another file.
	ID     event.SessionID
	Path   string
	Offset int64  // of the line that contains the first bad byte
	Seq    uint64 // of the record that should be there; 0: it is not about one
	Reason string
}

func (e *DamageError) Error() string {
	if e.Seq == 0 {
		return fmt.Sprintf("%s is damaged: %s", e.Path, e.Reason)
	}
	text := fmt.Sprintf("%s is damaged at byte %d (record %d): %s", e.Path, e.Offset, e.Seq, e.Reason)
	if e.ID != "" {
		text += fmt.Sprintf("; run `parley sessions repair %s`, which keeps the records before it", e.ID)
	}
	return text
}

// A Store stores the journals of many sessions. It is safe for concurrent use, including by
// several processes.
type Store interface {
	// Deferred reports whether records that were appended can still be lost by the end of this process
	// until Sync has returned: they wait for an acknowledgement of another machine. Of a store that is not
	// deferred, only a power failure can lose them.
	Deferred() bool
	// Create creates a journal with its first records, which are on disk when it returns, and
	// acquires the lease. The first record must be SessionCreated, with Seq 1. It returns ErrExists
	// if the id is in use.
	Create(ctx context.Context, id event.SessionID, records []event.Record) (Journal, error)
	// Lease opens a journal for writing. It removes an incomplete last line. Errors: *LockedError,
	// ErrNotFound, *DamageError.
	Lease(ctx context.Context, id event.SessionID) (Journal, error)
	// Resume is Lease that also calls each with every record, so that the journal is read only
	// once. If each returns an error, Resume fails with it.
	Resume(ctx context.Context, id event.SessionID, each func(event.Record) error) (Journal, error)
	// Open is Resume without the lease, for a session that another process writes to: the
	// journal is in the state after Release. An incomplete last line is skipped.
	Open(ctx context.Context, id event.SessionID, each func(event.Record) error) (Journal, error)
	// Read yields the durable records from number from on (0 and 1: all), without a lease. It ends
	// without an error at an incomplete last line. Errors: ErrNotFound, *DamageError.
	Read(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error]
	// Follow is Read that waits for further records at the end, until ctx is done, whose error it yields.
	Follow(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error]
	// Blob reads a blob of a session without a lease. Errors: ErrNotFound if there is no such
	// session, fs.ErrNotExist if it has no such blob, *DamageError.
	Blob(ctx context.Context, id event.SessionID, address string) ([]byte, error)
	// List returns a page of sessions, the last updated first, without reading their journals.
	// It returns ErrCursor for an invalid cursor.
	List(ctx context.Context, q Query) (Page, error)
	// Remove deletes a session that is not leased. Errors: *LockedError, ErrNotFound.
	Remove(ctx context.Context, id event.SessionID) error
	// Location returns where the session is stored, for the user; "" if the store has no locations.
	Location(id event.SessionID) string
	Close() error
}

// A HolderStore is a Store that knows which process has the lease of a session.
type HolderStore interface {
	Store
	// Holder returns the process that has the lease; 0: none has, or it is not known.
	Holder(id event.SessionID) (pid int)
}

// An OwnerStore is a Store that is shared by several machines, and knows which process has the lease of a session.
type OwnerStore interface {
	Store
	// Owner returns the owner of a session and its host, as LockedError has them; "": it has none.
	Owner(ctx context.Context, id event.SessionID) (owner, host string, err error)
}

// A Renewer is a Store whose leases end when the store cannot be reached for some time.
type Renewer interface {
	Store
	// AwaitRenewal returns at once if the leases of this process were renewed so recently that it may begin
	// work with effects: a model call, or a tool. Otherwise it waits. Errors: the cause of ctx, ErrClosed.
	AwaitRenewal(ctx context.Context) error
}

// A LineReader is a Store whose lines can be copied to another store as they are.
type LineReader interface {
	// ReadLines is Store.Read whose records have an event.Stored for their event.
	ReadLines(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error]
}

// A Journal is a session that is open for writing. While it has the lease nothing else can write
// to the session. It has the lease at first, and can release it and acquire it again. Its methods
// are safe for concurrent use.
type Journal interface {
	ID() event.SessionID
	// Head returns the number of the last record; without the lease, of the last record at the time
	// of Release.
	Head() uint64
	// Release syncs and releases the lease. The journal stays open and can be read, but uses no
	// resources of the system. If it cannot be synced it retains the lease. A second Release does
	// nothing.
	Release() error
	// Acquire acquires the lease again. Before it returns it calls each with every record that was
	// appended meanwhile, and removes an incomplete last line. If it fails, also with the error of
	// each, the journal remains without the lease, and a later Acquire starts after the same record.
	// With the lease it does nothing. Errors: *LockedError, ErrNotFound, ErrClosed, *DamageError;
	// the last also if the records up to Head have changed.
	Acquire(ctx context.Context, each func(event.Record) error) error
	// SetBusy sets whether the holder needs the lease for a long time; initially it does not. Others
	// that want the lease receive it as LockedError.Busy.
	SetBusy(busy bool)
	// Lost returns a channel that is closed when another process has taken the session over. From then on
	// Append, Sync, PutBlob, Release and Acquire return ErrFenced, and records that were not synced are
	// lost. nil: the lease cannot be lost.
	Lost() <-chan struct{}
	// Append writes records, all or none, in one write. expected must be Head, or Append returns
	// ErrStale; the records are numbered from expected+1 on. It does not wait for the disk. Without
	// the lease Append, Sync and PutBlob return ErrReleased.
	Append(expected uint64, records []event.Record) error
	// Sync waits until all appended records are on disk. In a deferred store it also waits while the
	// store cannot be reached: whether a record is stored is unknown then.
	Sync() error
	// Read is Store.Read. It does not need the lease.
	Read(ctx context.Context, from uint64) iter.Seq2[event.Record, error]
	// PutBlob stores data next to the journal, on disk when it returns, and returns its content
	// address: the SHA-256 of data, in hex.
	PutBlob(data []byte) (string, error)
	// Blob returns the data of an address.
	Blob(address string) ([]byte, error)
	// Close is Release, permanently.
	Close() error
}

// A Remover is a Journal that removes its session while it has the lease, so that no other process appends a record before.
type Remover interface {
	Journal
	// Remove deletes the session, and closes the journal. Without the lease it returns ErrReleased.
	Remove(ctx context.Context) error
}

// A LeaseRequester is a Store through which a process can request a lease that another one holds. The
// holder is not forced: it releases the lease, or it needs it and answers with Journal.SetBusy.
type LeaseRequester interface {
	// RequestLease requests the lease of a session from its holder. A request ends when the lease is
	// acquired, by whichever process, so a caller that waits repeats it. A caller that gives up calls
	// withdraw.
	RequestLease(id event.SessionID) (withdraw func(), err error)
	// LeaseRequested reports whether there is a request. It may be one of a process that has died.
	LeaseRequested(id event.SessionID) bool
	// AwaitRequest waits until there is a request. Errors: that of ctx, ErrClosed.
	AwaitRequest(ctx context.Context, id event.SessionID) error
}

// A Query selects sessions to list.
type Query struct {
	IDs       []event.SessionID // only these; nil: all
	Workspace string            // only sessions of this workspace; "": all
	// Workspaces selects the sessions of one of these workspaces; nil: all.
	Workspaces []string
	Within     string // only sessions whose workspace is this folder or below it; "": all
	Archived   bool   // the archived sessions instead of the others
	All        bool   // archived sessions and others; Archived means nothing then
	WithTurns  bool   // only sessions in which a turn began
	Search     string // part of the title, name or id, case-insensitive; "": all
	Limit      int    // of a page; 0: 50
	Cursor     string // Page.Next of the previous page; "": the first page
	Skip       int    // the number of sessions to skip first, for protocols without cursors
	Count      bool   // whether to set Page.Total

	ByCreation bool // sorted by Summary.Created instead of Updated
	Ascending  bool // the oldest first, else the newest
}

// A Page is part of a list.
type Page struct {
	Sessions []Summary `json:"sessions"`
	Next     string    `json:"next,omitzero"`  // "": the last page
	Total    int       `json:"total,omitzero"` // of all pages, with Query.Count
}

// A Summary describes a session in a list; it is a fold of the session's records.
type Summary struct {
	ID         event.SessionID `json:"id"`
	Workspace  string          `json:"workspace"` // the current one
	Name       string          `json:"name,omitzero"`
	Title      string          `json:"title,omitzero"`    // the first prompt, one line of at most 120 runes
	Model      string          `json:"model,omitzero"`    // the selected model; "": none
	FirstModel string          `json:"answered,omitzero"` // the model of the first request, if none is selected
	Created    time.Time       `json:"created"`
	Updated    time.Time       `json:"updated"`
	Turns      int             `json:"turns"`
	Failed     bool            `json:"failed,omitzero"` // the last turn failed
	Cost       float64         `json:"cost,omitzero"`   // US dollars, of the turns that have ended
	Archived   bool            `json:"archived,omitzero"`
	Parent     event.SessionID `json:"parent,omitzero"`
}
