package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// maxTail is the size of the lines that a lease retains after they were stored, in bytes. Twice as much is in memory
// at most.
const maxTail = 128 << 10

// A tail is the lines of the last records that were stored, in order and without gaps.
type tail struct {
	first uint64 // number of the first one
	lines []byte
}

// add adds the lines of a frame; none: they are a blob, and the tail begins anew after it.
func (t *tail) add(first uint64, lines []byte) {
	if len(lines) == 0 {
		t.lines = t.lines[:0]
		return
	}
	if len(t.lines) == 0 {
		t.first = first
	}
	t.lines = append(t.lines, lines...)
	if len(t.lines) <= 2*maxTail {
		return
	}
	rest := t.lines
	for len(rest) > maxTail {
		rest = rest[bytes.IndexByte(rest, '\n')+1:]
		t.first++
	}
	t.lines = append(t.lines[:0], rest...)
}

// SaveLost makes the store save records that the servers have acknowledged and do not have any more to files in a
// folder, SESSION-EPOCH.jsonl, when a lease is lost for that reason. It must be called before the store is used.
func (s *Store) SaveLost(folder string) { s.lostFolder = folder }

// retain adds the lines of a frame that is stored to the tail. The caller holds l.mu.
func (l *lease) retain(first uint64, lines []byte) {
	if l.store.lostFolder != "" {
		l.tail.add(first, lines)
	}
}

// saveTail saves the tail of a lease that another process has taken over, if the servers lack some of it: they were
// restored from a copy, or have cut the stream before a damaged message. Records that wait follow in the file.
func (l *lease) saveTail(link *cluster.Link) {
	l.mu.Lock()
	first, stored, frame := l.tail.first, l.stored.Seq, l.stored.frame
	lines := bytes.Clone(l.tail.lines)
	if len(lines) > 0 {
		if l.sending != nil {
			lines = append(lines, l.sending.lines...)
		}
		lines = append(lines, l.queue...)
	}
	path := filepath.Join(l.store.lostFolder, fmt.Sprintf("%s-%d.jsonl", stream.Token(l.id), l.epoch))
	own := l.store.ownFrame(l.epoch, frame, 0)
	l.mu.Unlock()
	if len(lines) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(l.store.life, stream.AnswerTimeout)
	defer cancel()
	if isStored(ctx, link, link.Namespace.Journal(l.id), own) {
		return
	}
	lines, first = l.missing(ctx, link, lines, first)
	if len(lines) == 0 || first > stored {
		return
	}
	err := appendFile(path, lines)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.note = "; records that the servers lack are in " + path; err != nil {
		l.note = fmt.Sprintf("; records that the servers lack cannot be saved: %v", err)
	}
}

// isStored reports whether a message is stored. It is not if the servers do not answer.
func isStored(ctx context.Context, srv stream.Server, subject string, m stream.Predecessor) (there bool) {
	err := srv.Read(ctx, subject, m.Seq, m.Seq, func(found *stream.Message) error {
		there = m.Same(found)
		return nil
	})
	return there && err == nil
}

// missing returns the lines from the first one on that the servers do not have, and its number. Of a session that was
// removed it returns none.
func (l *lease) missing(ctx context.Context, link *cluster.Link, lines []byte, first uint64) ([]byte, uint64) {
	indexed, err := stream.LastOnce(ctx, link, link.Namespace.Index(l.id))
	if err == nil && indexed.Header[stream.HeaderOperation] == stream.OperationDelete {
		return nil, first
	}
	m, err := stream.LastOnce(ctx, link, link.Namespace.Journal(l.id))
	if err != nil || m.Seq == 0 {
		return lines, first
	}
	r := &reader{store: l.store, link: link, id: l.id}
	_ = r.advance(ctx, m.Seq, func(line []byte, before place) error { // after an error the rest counts as missing
		if before.Seq+1 < first {
			return nil
		}
		own, rest, _ := bytes.Cut(lines, []byte{'\n'})
		if !bytes.Equal(own, line) {
			return errStopped
		}
		lines, first = rest, first+1
		return nil
	})
	return lines, first
}

// appendFile appends data to a file that only the user can read.
func appendFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// fencedError returns the error of a lease that is lost. The caller holds l.mu.
func (l *lease) fencedError() error {
	return fmt.Errorf("session %s: %w%s", l.id, journal.ErrFenced, l.note)
}
