package file

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/regular"
)

// retireSize is the size at which recent.jsonl is replaced by a new file, in bytes.
const retireSize = 1 << 20

// ingestProgress records how much of recent.jsonl was ingested.
type ingestProgress struct {
	offset          int64 // in recent.jsonl, bytes
	retiredIngested bool  // the retired file was ingested too, and can be deleted
}

// ingest adds the lines to the index that were written to recent.jsonl since the last call.
func (t *indexTx) ingest() error {
	was, err := t.progress()
	if err != nil {
		return err
	}
	now, err := t.retire(was)
	if err != nil {
		return err
	}
	now.offset, err = t.ingestFile(filepath.Join(t.root, recentName), now.offset)
	if err != nil || now == was {
		return err
	}
	return t.setProgress(now)
}

// retire replaces recent.jsonl by a new file when it has reached retireSize.
//
// The file cannot be truncated while others append to it. So it is renamed, and a writer whose
// line came after the last read repeats it in the new file. A crash between the rename and the
// commit leaves a retired file whose retiredIngested is not set: then all of it is ingested again,
// and after it the whole new file. That is harmless, since for each session the last line counts.
func (t *indexTx) retire(p ingestProgress) (ingestProgress, error) {
	recent, retired := filepath.Join(t.root, recentName), filepath.Join(t.root, retiredName)
	size, err := sizeOf(recent)
	if err != nil {
		return p, err
	}
	leftover, err := exists(retired)
	if err != nil {
		return p, err
	}
	if size < p.offset {
		p.offset = 0 // the file was deleted
	}
	switch {
	case p.retiredIngested:
		// Another file may be retired only after this transaction is committed.
		p.retiredIngested = false
		if leftover {
			err = os.Remove(retired)
		}
	case leftover:
		_, err = t.ingestFile(retired, 0)
		p = ingestProgress{retiredIngested: true}
	case size >= retireSize:
		if err = os.Rename(recent, retired); err == nil {
			_, err = t.ingestFile(retired, p.offset)
		}
		p = ingestProgress{retiredIngested: true}
	}
	return p, err
}

// ingestFile ingests the lines of a file from offset on, and returns the offset after the last
// complete one.
func (t *indexTx) ingestFile(path string, offset int64) (int64, error) {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return offset, nil
	}
	if err != nil {
		return offset, err
	}
	defer f.Close()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return offset, err
	}
	lines := bufio.NewReaderSize(f, fullRead)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return offset, nil
		}
		if err != nil {
			return offset, err
		}
		offset += int64(len(line))
		if err := t.apply(line); err != nil {
			return offset, err
		}
	}
}

// apply ingests one line. Lines that cannot be decoded, as after a crash, are skipped.
func (t *indexTx) apply(line []byte) error {
	var c change
	if err := json.Unmarshal(line, &c); err != nil || !journal.ValidID(c.ID) {
		return nil
	}
	if c.Removed {
		return t.remove(c.ID)
	}
	return t.put(c.Summary)
}
