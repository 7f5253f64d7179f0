package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A Status is how the copy of a session ended.
type Status string

const (
	Copied   Status = "copied"   // the target did not have the session
	Same     Status = "same"     // it had all of it
	Extended Status = "extended" // it had the beginning
	Diverged Status = "diverged" // it has other records, and was not changed
	Busy     Status = "busy"     // another process needs the session, here or there
	Failed   Status = "failed"   // see Result.Error
)

// A Result is what was done for a session.
type Result struct {
	Session event.SessionID `json:"session"`
	Records uint64          `json:"records"` // of the session, as far as they were read
	Blobs   int             `json:"blobs"`   // that were copied
	Bytes   int64           `json:"bytes"`   // of the lines and blobs that were copied
	Status  Status          `json:"status"`
	Removed bool            `json:"removed,omitzero"` // from the source
	Error   string          `json:"error,omitzero"`
}

// OK reports whether the target has the session now.
func (r Result) OK() bool { return r.Status == Copied || r.Status == Same || r.Status == Extended }

// A Copier copies sessions between two stores.
type Copier struct {
	From, To journal.Store
	Remove   bool // sessions are removed from the source after they were read from the target again
}

// maxBatch is the size of the lines that are appended together, in bytes: they fit into one message of a store on NATS.
const maxBatch = 448 << 10

// errDiverged reports that the target has other records.
var errDiverged = errors.New("the target has other records")

// Copy copies a session. The source is leased meanwhile. The result has the error, if there is one.
func (c *Copier) Copy(ctx context.Context, id event.SessionID) Result {
	t := &task{Copier: c, id: id, result: Result{Session: id}, seen: map[string]bool{}}
	if err := t.run(ctx); err != nil {
		t.result.Status, t.result.Error = statusOf(err), err.Error()
	}
	return t.result
}

func statusOf(err error) Status {
	if _, locked := errors.AsType[*journal.LockedError](err); locked {
		return Busy
	}
	if errors.Is(err, errDiverged) {
		return Diverged
	}
	return Failed
}

// A task is the copy of one session.
type task struct {
	*Copier
	id     event.SessionID
	source journal.LineReader
	target journal.Journal // nil: the target does not have the session
	result Result
	seen   map[string]bool // addresses that were looked at

	batch []event.Record // that are not appended yet
	size  int            // of their lines
}

// run copies the session. If the source is to be removed it checks the copy first.
func (t *task) run(ctx context.Context) (err error) {
	var ok bool
	if t.source, ok = t.From.(journal.LineReader); !ok {
		return errors.New("the lines of this store cannot be read")
	}
	lease, err := acquire(ctx, t.From, t.id)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	defer func() { err = errors.Join(err, lease.Close()) }()
	t.target, err = acquire(ctx, t.To, t.id)
	if errors.Is(err, journal.ErrNotFound) {
		t.target, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	defer func() {
		if t.target != nil {
			err = errors.Join(err, t.target.Close())
		}
	}()
	if err := t.copyRecords(ctx); err != nil {
		return err
	}
	if !t.Remove {
		return nil
	}
	if err := t.verify(ctx); err != nil {
		return err
	}
	return t.remove(ctx, lease)
}

// remove removes the source, whose lease ends with it: a record that is appended later would be lost.
func (t *task) remove(ctx context.Context, lease journal.Journal) error {
	remover, ok := lease.(journal.Remover)
	if !ok {
		return errors.New("sessions of this store cannot be removed while they are leased")
	}
	if err := remover.Remove(ctx); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	t.result.Removed = true
	return nil
}

// copyRecords appends the records that the target does not have.
func (t *task) copyRecords(ctx context.Context) error {
	t.result.Status = Copied
	var there uint64
	if t.target != nil {
		there = t.target.Head()
		t.result.Status = Same
	}
	next, stop := t.targetLines(ctx)
	defer stop()
	for rec, err := range t.source.ReadLines(ctx, t.id, 1) {
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
		t.result.Records = rec.Seq
		if rec.Seq <= there {
			if err := sameLine(rec, next); err != nil {
				return err
			}
			if rec.Seq == 1 { // its blobs were copied after it: before it there is no journal
				if err := t.copyBlobs(ctx, rec); err != nil {
					return err
				}
			}
			continue
		}
		if t.result.Status == Same {
			t.result.Status = Extended
		}
		if err := t.add(ctx, rec); err != nil {
			return err
		}
	}
	if t.result.Records < there {
		return fmt.Errorf("%w: %d, the source has %d", errDiverged, there, t.result.Records)
	}
	return t.flush()
}

// targetLines returns a function that returns the records of the target one after the other.
func (t *task) targetLines(ctx context.Context) (next func() (event.Record, error, bool), stop func()) {
	lines, ok := t.To.(journal.LineReader)
	if t.target == nil || !ok {
		return nil, func() {}
	}
	return iter.Pull2(lines.ReadLines(ctx, t.id, 1))
}

// sameLine returns an error unless the next record of the target is the same.
func sameLine(rec event.Record, next func() (event.Record, error, bool)) error {
	other, err, ok := next()
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	if !ok || !bytes.Equal(lineOf(other), lineOf(rec)) {
		return fmt.Errorf("%w from number %d on", errDiverged, rec.Seq)
	}
	return nil
}

func lineOf(rec event.Record) []byte {
	stored, _ := rec.Event.(event.Stored)
	return stored.Line
}

// add copies the blobs of a record, and appends it with others.
func (t *task) add(ctx context.Context, rec event.Record) error {
	if t.target == nil {
		target, err := t.To.Create(ctx, t.id, []event.Record{rec})
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		t.target = target
		t.result.Bytes += int64(len(lineOf(rec)) + 1)
		return t.copyBlobs(ctx, rec)
	}
	if err := t.copyBlobs(ctx, rec); err != nil {
		return err
	}
	size := len(lineOf(rec)) + 1
	if t.size+size > maxBatch {
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.batch, t.size = append(t.batch, rec), t.size+size
	return nil
}

// flush appends the batch, and waits until it is stored.
func (t *task) flush() error {
	if len(t.batch) == 0 {
		return nil
	}
	if err := t.target.Append(t.batch[0].Seq-1, t.batch); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	if err := t.target.Sync(); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	t.result.Bytes += int64(t.size)
	t.batch, t.size = t.batch[:0], 0
	return nil
}
