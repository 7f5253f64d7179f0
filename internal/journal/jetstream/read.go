package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
	"parley.dev/parley/internal/stream"
)

// errStopped reports that the loop over the records was left.
var errStopped = errors.New("enough")

// A reader reads the frames of a session and verifies them.
type reader struct {
	store  *Store
	link   *cluster.Link
	id     event.SessionID
	at     place
	epoch  uint64 // of the last frame
	lines  bool   // records have their lines
	hasher chain.Hasher
}

// reader returns a reader of a session, and the sequence of the last frame.
func (s *Store) reader(ctx context.Context, id event.SessionID) (*cluster.Link, *reader, uint64, error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, nil, 0, err
	}
	if !journal.ValidID(id) {
		return nil, nil, 0, notFound(id)
	}
	link, err := s.connect(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	_, to, err := s.lastFrame(ctx, link, id)
	if err != nil {
		return nil, nil, 0, s.asClosed(err)
	}
	return link, &reader{store: s, link: link, id: id}, to, nil
}

// Read yields the records of a session from number from on.
func (s *Store) Read(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return s.read(ctx, id, from, false, nil)
}

// ReadLines is Read with the lines of the records.
func (s *Store) ReadLines(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return s.read(ctx, id, from, true, nil)
}

// Read is Store.Read. It starts at a known place close to from instead of the beginning.
func (l *lease) Read(ctx context.Context, from uint64) iter.Seq2[event.Record, error] {
	return l.store.read(ctx, l.id, from, false, func() place { return l.startFor(from) })
}

// startFor returns a place from which to read records from number from on.
func (l *lease) startFor(from uint64) place {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from > l.stored.Seq {
		return l.stored
	}
	return l.marks.lastBefore(from)
}

func (s *Store) read(ctx context.Context, id event.SessionID, from uint64, lines bool, start func() place) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		_, r, to, err := s.reader(ctx, id)
		if err == nil {
			if own := s.ownLease(id); own != nil && start == nil {
				start = func() place { return own.startFor(from) }
			}
			if start != nil {
				r.at = start()
			}
			r.lines = lines
			err = r.yield(ctx, from, to, yield)
		}
		if err != nil && err != errStopped {
			yield(event.Record{}, err)
		}
	}
}

// yield yields the records from number from on, up to the frame to.
func (r *reader) yield(ctx context.Context, from, to uint64, yield func(event.Record, error) bool) error {
	return r.advance(ctx, to, func(line []byte, before place) error {
		if before.Seq+1 < from {
			return nil
		}
		var rec event.Record
		if err := rec.UnmarshalJSON(line); err != nil {
			return r.damage(before.Position, err.Error())
		}
		if r.lines {
			rec.Event = event.Stored{Event: rec.Event, Line: bytes.Clone(line)}
		}
		if !yield(rec, nil) {
			return errStopped
		}
		return nil
	})
}

// summarize folds the records up to the frame to into sum. It calls passed with the end of each frame, and
// each with each record. If each is nil, most records are not decoded.
func (r *reader) summarize(ctx context.Context, to uint64, sum *journal.Summary, passed func(place), each func(event.Record) error) error {
	var latest []byte // the time of the last line
	err := r.advance(ctx, to, func(line []byte, before place) error {
		passed(r.at) // the end of the last frame: reading starts at frames only
		if each != nil || sum.NeedsRecord(chain.KindOf(line)) {
			var rec event.Record
			if err := rec.UnmarshalJSON(line); err != nil {
				return r.damage(before.Position, err.Error())
			}
			sum.Apply(rec)
			if each != nil {
				if err := each(rec); err != nil {
					return err
				}
			}
		}
		latest = append(latest[:0], chain.TimeOf(line)...)
		return nil
	})
	if when, parseErr := time.Parse(time.RFC3339Nano, string(latest)); parseErr == nil {
		sum.Updated = when
	}
	return err
}

// advance reads the frames after r.at up to the one with sequence to, and calls each with each of their
// lines and the place before it. r.at is the end of the last frame that is good.
func (r *reader) advance(ctx context.Context, to uint64, each func(line []byte, before place) error) error {
	to, err := r.current(ctx, to)
	if err != nil || r.at.frame == to {
		return errors.Join(err, ctx.Err())
	}
	subject := r.link.Namespace.Journal(r.id)
	var pause stream.Backoff
	for end := time.Now().Add(stream.StalePatience); ; {
		err := r.link.Read(ctx, subject, r.at.frame+1, to, func(m *stream.Message) error {
			return r.frame(ctx, m, each)
		})
		if err != nil || r.at.frame == to {
			return r.store.asClosed(err)
		}
		if _, _, err := r.store.lastFrame(ctx, r.link, r.id); err != nil {
			return err // it was removed meanwhile
		}
		if time.Now().After(end) {
			return r.damage(r.at.Position, "frames are missing")
		}
		if err := pause.Wait(ctx, stream.MaxPause); err != nil { // the server may have answered from the past
			return r.store.asClosed(err)
		}
	}
}

// current returns the sequence of the last frame, which is given. If it is before r.at, a leader that was deposed may
// have answered, so it is read again for some time.
func (r *reader) current(ctx context.Context, to uint64) (uint64, error) {
	var pause stream.Backoff
	for end := time.Now().Add(stream.StalePatience); to < r.at.frame; {
		if time.Now().After(end) {
			return 0, r.damage(r.at.Position, "the store has lost frames")
		}
		if err := pause.Wait(ctx, stream.MaxPause); err != nil {
			return 0, r.store.asClosed(err)
		}
		var err error
		if _, to, err = r.store.lastFrame(ctx, r.link, r.id); err != nil {
			return 0, err
		}
	}
	return to, nil
}

// frame verifies one frame.
func (r *reader) frame(ctx context.Context, m *stream.Message, each func(line []byte, before place) error) error {
	f, err := decodeFrame(m)
	if damage, ok := errors.AsType[*journal.DamageError](err); ok {
		return r.damage(r.at.Position, damage.Reason)
	}
	if err != nil {
		return r.damage(r.at.Position, err.Error())
	}
	if f.kind == kindCreate && r.at.Seq > 0 {
		return r.damage(r.at.Position, "records that stood here are gone")
	}
	if f.epoch < r.epoch {
		return r.damage(r.at.Position, "the frame of a former owner")
	}
	lines, err := r.linesOf(ctx, f)
	if err != nil {
		return err
	}
	at := place{r.at.Position, m.Seq}
	for len(lines) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, rest, whole := bytes.Cut(lines, []byte{'\n'})
		if !whole {
			return r.damage(at.Position, "the line has no end")
		}
		sum, wrong := r.hasher.Check(line, at.Position)
		if wrong == "" && at.Seq == 0 && chain.KindOf(line) != event.KindSessionCreated {
			wrong = "the first record is not " + string(event.KindSessionCreated)
		}
		if wrong != "" {
			return r.damage(at.Position, wrong)
		}
		if err := each(line, place{at.Position, r.at.frame}); err != nil {
			return err
		}
		at.Position = at.Next(len(line)+1, sum)
		lines = rest
	}
	if f.head != at.Seq || f.hash != at.Sum {
		return r.damage(at.Position, "the frame names another record as the last one")
	}
	r.at, r.epoch = at, f.epoch
	return nil
}

// linesOf returns the lines of a frame.
func (r *reader) linesOf(ctx context.Context, f *frame) ([]byte, error) {
	if f.body == nil {
		return f.lines, nil
	}
	lines, err := getBlob(ctx, r.link, r.id, f.body.address)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, r.damage(r.at.Position, "the blob of its records is missing")
	}
	if err == nil && int64(len(lines)) != f.body.size {
		return nil, r.damage(r.at.Position, fmt.Sprintf("the blob of its records has %d bytes instead of %d", len(lines), f.body.size))
	}
	return lines, err
}

func (r *reader) damage(at chain.Position, reason string) error {
	return &journal.DamageError{Path: r.link.Namespace.Journal(r.id), Offset: at.Offset, Seq: at.Seq + 1, Reason: reason}
}
