package batch

import (
	"context"
	"errors"
	"iter"
	"time"
)

// The errors of a Store that callers branch on.
var (
	// ErrConflict is the error of an append after an entry that is not the last one.
	ErrConflict = errors.New("another entry was appended first")
	// ErrNoEntry is the error for a log without entries.
	ErrNoEntry = errors.New("the log has no entry")
	// ErrNoBlob is the error for a blob that is not stored.
	ErrNoBlob = errors.New("no such blob")
	// ErrClosed is the error of every method after Close.
	ErrClosed = errors.New("the store of batches is closed")
)

// A Store is where batches are stored: logs, blobs, and the queues of tasks that workers pull. It is the port that drivers
// implement; the suite batchtest describes it. A Store is safe for concurrent use, and several processes may have one
// each with the same content.
//
// An error that is none of the above is one of the medium or of ctx; then the outcome of a write is unknown, and the
// caller may repeat it: each write is idempotent, or is refused with ErrConflict if it was stored.
type Store interface {
	Logs
	Blobs
	Queues
	// Close ends what the Store has started. Tasks that were pulled through it and not acknowledged are delivered again.
	Close() error
}

// MaxEntry is the maximum size of an entry, in bytes. What is larger is stored as a blob that the entry names.
const MaxEntry = 512 << 10

// A LogKind is one of the kinds of logs of a batch.
type LogKind string

// The kinds. A batch has one log of each, except that there is a task log for each task.
const (
	DefinitionLog LogKind = "m" // its only entry is the definition of the batch
	TaskLog       LogKind = "s"
	CancelLog     LogKind = "c"
	LedgerLog     LogKind = "l"
)

// A Log names one log; with Kind "" it names all logs of a batch together, which can be read and not written.
type Log struct {
	Batch string // [A-Za-z0-9_-]{1,64}
	Kind  LogKind
	Task  string // of a task log; [A-Za-z0-9_-]{1,100}
}

// An Entry is one entry of a log.
type Entry struct {
	Log    Log
	Number uint64    // greater than that of each earlier entry of the batch, with gaps; never 0
	Time   time.Time // when it was stored, by the clock of the store
	Data   []byte    // at most MaxEntry bytes; must not be changed
}

// Logs are append-only logs. What an append or a create has returned survives the end of this process and a power
// failure.
type Logs interface {
	// Append appends an entry to a log whose last entry has the number after (0: to a log without entries), and returns
	// its number. ErrConflict: the last entry is another one, and nothing was changed. Of several appends after the
	// same entry, in any processes, exactly one succeeds. A driver whose answer was lost finds out whether the entry was
	// stored, so that ErrConflict always means that the last entry is not this one.
	Append(ctx context.Context, log Log, after uint64, data []byte) (uint64, error)
	// Create appends the first entry of many logs of one batch, to those that have none, and returns which were new, in
	// the order of entries; of these only Log and Data are read. The appends are independent: after an error any of them
	// may be stored, and the caller repeats the call.
	Create(ctx context.Context, entries []Entry) (created []bool, err error)
	// Last returns the last entry of a log; ErrNoEntry. It is not older than what any process has been answered before the
	// call.
	Last(ctx context.Context, log Log) (Entry, error)
	// Entries yields the entries after the number after (0: all), in the order of their numbers, up to those that were
	// stored when it was called.
	Entries(ctx context.Context, log Log, after uint64) iter.Seq2[Entry, error]
	// Follow is Entries that waits for further entries, of any process, until ctx ends, whose error it yields. An entry
	// is yielded within a second.
	Follow(ctx context.Context, log Log, after uint64) iter.Seq2[Entry, error]
	// Batches returns the definitions of all batches: the first entry of each DefinitionLog, the oldest first.
	Batches(ctx context.Context) ([]Entry, error)
	// Remove removes a batch: its entries in the queue, its blobs, and its logs, the DefinitionLog last, so that a Remove that
	// was interrupted can be repeated. To remove what is not there is no error.
	Remove(ctx context.Context, batch string) error
}

// Blobs are the large values of batches.
type Blobs interface {
	// PutBlob stores data beside the logs of a batch and returns its address: the SHA-256 in hex.
	PutBlob(ctx context.Context, batch string, data []byte) (address string, err error)
	// Blob returns the data of an address, and has compared it with that; ErrNoBlob.
	Blob(ctx context.Context, batch, address string) ([]byte, error)
}

// A Ref is a task in a queue. It has only ids: what is to be done is in the log of the task.
type Ref struct {
	Queue string // [A-Za-z0-9_-]{1,64}
	Batch string
	Task  string
}

// Queues are the tasks that wait for workers. A task is in its queue at most once, from Enqueue until an acknowledgement.
// A delivery is no lock: after Visibility without Extend, or when its Store is closed or its process has ended, the task
// is delivered again, and the former receiver's acknowledgement may still count. So the truth is the log of the task, and
// a receiver acknowledges only what it has found finished there.
type Queues interface {
	// Enqueue adds tasks to their queues, unless they are there, delivered or not. They are independent, as in Create.
	Enqueue(ctx context.Context, refs []Ref) error
	// Pull returns a task of one of the queues, and waits for one until ctx ends. The task is not delivered to others for
	// Visibility. Pull takes turns: of the batches that have a task to be delivered, that one comes next which was served
	// by this Store the longest time ago; within a batch the order is that of Enqueue, and what is delivered again comes
	// when it is due.
	Pull(ctx context.Context, queues []string) (Delivery, error)
	// Visibility returns how long a task that was pulled is not delivered again. Receivers call Extend three times in it.
	Visibility() time.Duration
}

// A Delivery is a task that was pulled. The methods do nothing if the task has left the queue.
type Delivery interface {
	Ref() Ref
	// Extend makes Visibility begin again.
	Extend(ctx context.Context) error
	// Ack removes the task from the queue. When it returns nil the task is not there, and can be enqueued again.
	Ack(ctx context.Context) error
	// Nak returns the task to the queue, to be delivered after a delay.
	Nak(ctx context.Context, delay time.Duration) error
}
