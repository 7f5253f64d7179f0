package jetstream

import (
	"errors"
	"fmt"
	"time"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/stream"
)

var (
	// errStopped reports that the loop over the entries was left.
	errStopped = errors.New("enough")
	// errGap reports that an entry was not read.
	errGap = errors.New("entries are missing")
)

// A reader reads logs, and verifies that each entry follows the one before in its log.
type reader struct {
	store    *Store
	link     *cluster.Link
	subject  string
	single   bool              // it is the subject of one log
	start    uint64            // entries up to it were not read
	at       uint64            // the last entry that was read
	previous map[string]uint64 // the last entry that was read, by subject
}

func (s *Store) newReader(c *call, log batch.Log, after uint64) (*reader, error) {
	subject, err := subjectOf(c.link.Namespace, log)
	return &reader{store: s, link: c.link, subject: subject, single: log.Kind != "", start: after, at: after, previous: map[string]uint64{}}, err
}

// advance yields the entries after r.at up to the last one that the leader has now. What a server answers from the
// past is read again.
func (r *reader) advance(c *call, yield func(batch.Entry, error) bool) error {
	last, err := r.store.last(c, r.subject)
	if err != nil || last.Seq <= r.at {
		return err
	}
	var pause stream.Backoff
	for end := time.Now().Add(stream.StalePatience); ; {
		err := r.read(c, last, yield)
		if !errors.Is(err, errGap) {
			return err
		}
		if now, err := stream.LastOnce(c, r.link, r.subject); err == nil && now.Seq == 0 {
			return fmt.Errorf("%s was removed: %w", r.subject, batch.ErrNoEntry)
		}
		if time.Now().After(end) {
			return fmt.Errorf("read %s after entry %d: %w", r.subject, r.at, err)
		}
		if err := pause.Wait(c, stream.MaxPause); err != nil {
			return err
		}
	}
}

// read yields the entries up to last. Of a single log the last one need not be read again: it shows whether there
// are others before.
func (r *reader) read(c *call, last *stream.Message, yield func(batch.Entry, error) bool) error {
	each := func(m *stream.Message) error { return r.yield(m, yield) }
	if !r.single {
		err := r.link.Read(c, r.subject, r.at+1, last.Seq, each)
		if err == nil && r.at < last.Seq {
			err = errGap
		}
		return err
	}
	if err := each(last); !errors.Is(err, errGap) {
		return err
	}
	if err := r.link.Read(c, r.subject, r.at+1, last.Seq-1, each); err != nil {
		return err
	}
	return each(last)
}

// yield yields one entry, or returns errGap if one before was not read.
func (r *reader) yield(m *stream.Message, yield func(batch.Entry, error) bool) error {
	e, after, err := decode(m)
	if err != nil {
		return err
	}
	if before, ok := r.previous[m.Subject]; ok && after != before || !ok && after > r.start {
		return errGap
	}
	r.at, r.previous[m.Subject] = m.Seq, m.Seq
	r.store.learn(r.link.Namespace, m)
	if !yield(e, nil) {
		return errStopped
	}
	return nil
}
