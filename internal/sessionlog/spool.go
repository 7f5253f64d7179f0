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
type spool struct {
	file  *os.File
	write int64 // where the next record goes
	read  int64 // where the oldest record begins
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
	line, err := rec.AppendJSON(nil)
	if err != nil {
		return err
	}
	n, err := s.file.WriteAt(append(line, '\n'), s.write)
	if err != nil {
		return fmt.Errorf("spool for a slow follower: %w", err)
	}
	s.write += int64(n)
	return nil
}

// take reads at least one record and about limit bytes; empty reports that none is left.
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
	return records, s.read == s.write, nil
}

func (s *spool) close() { s.file.Close() }
