package sessionlog

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
)

// A spool is a first-in first-out queue on disk for one follower: a file without a name, which ends
// with the process. It is not safe for concurrent use.
//
// The newest record stays in memory, where the deltas after it merge with it: without that, each delta would be encoded and
// written for each slow follower while the session waits.
type spool struct {
	file  *os.File
	write int64   // where the next record goes
	read  int64   // where the oldest record begins
	last  waiting // after those in the file; without an event: there is none
	line  []byte  // reused by writeLast
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "parley-spool-*")
	if err != nil {
		return nil, fmt.Errorf("spool for a slow follower: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		file.Close()
		return nil, fmt.Errorf("spool for a slow follower: %w", err)
	}
	return &spool{file: file}, nil
}

func (s *spool) put(rec event.Record) error {
	size := recordSize(rec)
	if s.last.merge(rec) {
		s.last.size += size
		return nil
	}
	if err := s.writeLast(); err != nil {
		return err
	}
	s.last = waiting{rec: rec, size: size}
	return nil
}

// writeLast moves the newest record to the file.
func (s *spool) writeLast() error {
	if s.last.rec.Event == nil {
		return nil
	}
	line, err := s.last.record().AppendJSON(s.line[:0])
	if err != nil {
		return err
	}
	s.last, s.line = waiting{}, append(line, '\n')
	n, err := s.file.WriteAt(s.line, s.write)
	if err != nil {
		return fmt.Errorf("spool for a slow follower: %w", err)
	}
	s.write += int64(n)
	return nil
}

// take removes about limit bytes, and at least one record if there is one; empty reports that none is left.
func (s *spool) take(limit int64) (records []event.Record, empty bool, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(s.file, s.read, s.write-s.read), 64<<10)
	for end := s.read + limit; s.read < s.write && (len(records) == 0 || s.read < end); {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil, false, fmt.Errorf("spool for a slow follower: %w", err)
		}
		var rec event.Record
		if err := json.Unmarshal(line, &rec); err != nil {
			return nil, false, err
		}
		records = append(records, rec)
		s.read += int64(len(line))
	}
	if s.read < s.write {
		return records, false, nil
	}
	if s.last.rec.Event != nil {
		records, s.last = append(records, s.last.record()), waiting{}
	}
	return records, true, nil
}

func (s *spool) close() { s.file.Close() }
