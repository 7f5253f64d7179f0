package file

import (
	"bufio"
	"errors"
	"hash/crc32"
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
	offset          int64  // in recent.jsonl, bytes
	tail            uint32 // checksum of the last bytes before offset: another file has others
	retiredIngested bool   // the retired file was ingested too, and can be deleted
}

// tailLen is the number of bytes whose checksum is ingestProgress.tail. A line that is not ingested yet is longer.
const tailLen = 64

// continues reports whether recent.jsonl still begins with what was ingested. Otherwise the file was deleted, or the machine failed before
// all of it was on disk, and there may be changes that no file has any more.
func (t *indexTx) continues() bool {
	p := t.table.progress
	if leftover, err := exists(filepath.Join(t.root, retiredName)); err != nil || leftover && !p.retiredIngested {
		return err == nil // the new file is ingested from its beginning
	}
	tail, err := tailOf(filepath.Join(t.root, recentName), p.offset)
	return err == nil && tail == p.tail
}

// tailOf returns the checksum of the bytes before an offset.
func tailOf(path string, offset int64) (uint32, error) {
	if offset == 0 {
		return 0, nil
	}
	f, err := regular.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	tail := make([]byte, min(tailLen, offset))
	_, err = f.ReadAt(tail, offset-int64(len(tail)))
	return crc32.Checksum(tail, castagnoli.Get()), err
}

// ingest adds the lines to the index that were written to recent.jsonl since the last call.
func (t *indexTx) ingest() error {
	was := t.table.progress
	now, err := t.retire(was)
	if err != nil {
		return err
	}
	recent := filepath.Join(t.root, recentName)
	if now.offset, err = t.ingestFile(recent, now.offset); err != nil {
		return err
	}
	if now.offset == was.offset && now.retiredIngested == was.retiredIngested {
		return nil
	}
	if now.tail, err = tailOf(recent, now.offset); err != nil {
		return err
	}
	t.setProgress(now)
	return nil
}

// retire replaces recent.jsonl by a new file when it has reached retireSize.
//
// The file cannot be truncated while others append to it. So it is renamed, and a writer whose
// line came after the last read repeats it in the new file. A crash between the rename and the
// write of the index leaves a retired file whose retiredIngested is not set: then all of it is ingested again,
// and after it the whole new file. That is harmless, since for each session the last line counts.
//
// While the index cannot be written, or is not yet, no file is renamed or deleted.
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
	written := t.canWrite && !t.rewrite
	switch {
	case p.retiredIngested:
		// Another file may be retired only after this change is written.
		if !leftover || written && os.Remove(retired) == nil {
			p.retiredIngested = false
		}
	case leftover:
		t.rewrite = true
		_, err = t.ingestFile(retired, 0)
		p = ingestProgress{retiredIngested: true}
	case size >= retireSize && written && os.Rename(recent, retired) == nil:
		t.rewrite = true
		_, err = t.ingestFile(retired, p.offset)
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
		t.apply(line)
	}
}

// apply ingests one line. Lines that cannot be decoded, as after a crash, are skipped.
func (t *indexTx) apply(line []byte) {
	var c change
	if err := json.Unmarshal(line, &c); err != nil || !journal.ValidID(c.ID) {
		return
	}
	if c.Removed {
		t.remove(c.ID)
	} else {
		t.put(c.Summary)
	}
}
