package file

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// retireAt is the size at which recent.jsonl gives way to a new file, in bytes.
const retireAt = 1 << 20

// progress is how far recent.jsonl was ingested.
type progress struct {
	offset int64 // in recent.jsonl, bytes
	spent  bool  // the retired file was ingested too, and can go
}

// ingest takes into the index what was written to recent.jsonl since the last time.
func (sh *shelf) ingest() error {
	was, err := sh.progress()
	if err != nil {
		return err
	}
	now, err := sh.retire(was)
	if err != nil {
		return err
	}
	now.offset, err = sh.ingestFile(filepath.Join(sh.root, recentName), now.offset)
	if err != nil || now == was {
		return err
	}
	return sh.setProgress(now)
}

// retire makes recent.jsonl give way to a new file when it has grown.
//
// The file cannot be cut while others append to it. So it is renamed, and a writer that
// comes too late for its last reading repeats the line in the new file. A crash between
// the renaming and the commit leaves a retired file that is not spent: then all of it is
// read again, and all of the file behind it. That does no harm, for each session the last
// line counts.
func (sh *shelf) retire(p progress) (progress, error) {
	recent, retired := filepath.Join(sh.root, recentName), filepath.Join(sh.root, retiredName)
	size, err := sizeOf(recent)
	if err != nil {
		return p, err
	}
	leftover, err := exists(retired)
	if err != nil {
		return p, err
	}
	if size < p.offset {
		p.offset = 0 // somebody deleted it
	}
	switch {
	case p.spent:
		// Another file may take its place only after the commit of this.
		p.spent = false
		if leftover {
			err = os.Remove(retired)
		}
	case leftover:
		_, err = sh.ingestFile(retired, 0)
		p = progress{spent: true}
	case size >= retireAt:
		if err = os.Rename(recent, retired); err == nil {
			_, err = sh.ingestFile(retired, p.offset)
		}
		p = progress{spent: true}
	}
	return p, err
}

// ingestFile ingests the lines of a file from offset on and gives the offset behind the
// last whole one.
func (sh *shelf) ingestFile(path string, offset int64) (int64, error) {
	f, err := os.Open(path)
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
		if err := sh.apply(line); err != nil {
			return offset, err
		}
	}
}

// apply ingests one line. Lines that cannot be read, as after a crash, are passed over.
func (sh *shelf) apply(line []byte) error {
	var c change
	if err := json.Unmarshal(line, &c); err != nil || !valid(c.ID) {
		return nil
	}
	if c.Removed {
		return sh.forget(c.ID)
	}
	return sh.keep(c.Summary)
}
