package tool

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"unicode/utf8"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// maxKept is the size up to which a file's old content is loaded when it is changed, in bytes.
const maxKept = 64 << 20

// An original is a file's content before a change.
type original struct {
	data   []byte
	exists bool
	huge   bool // larger than maxKept; data is not loaded
}

// change replaces the content of the file p with what rewrite makes of it. Changes of
// one workspace come one after another, so none is lost. It returns nil if the content
// stays as it is; if rewrite fails, nothing is changed and the error is rewrite's.
func (w *Workspace) change(p approval.Path, rewrite func(original) ([]byte, error)) (*event.FileChange, error) {
	w.changing.Lock()
	defer w.changing.Unlock()
	old, err := w.original(p)
	if err != nil {
		return nil, err
	}
	data, err := rewrite(old)
	if err != nil {
		return nil, err
	}
	if old.exists && !old.huge && bytes.Equal(old.data, data) {
		return nil, nil
	}
	if err := w.WriteFile(p, data, 0o666); err != nil {
		return nil, err
	}
	return fileChange(w.Rel(p.Path), old, data), nil
}

func (w *Workspace) original(p approval.Path) (original, error) {
	file, err := w.Open(p)
	if errors.Is(err, fs.ErrNotExist) {
		return original{}, nil
	}
	if err != nil {
		return original{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxKept+1))
	if err != nil {
		return original{}, err
	}
	if len(data) > maxKept {
		return original{exists: true, huge: true}, nil
	}
	return original{data: data, exists: true}, nil
}

// fileChange is the fact that path had the content old and now has data.
func fileChange(path string, old original, data []byte) *event.FileChange {
	change := &event.FileChange{Path: path, Op: event.Created, Existed: old.exists}
	if old.exists {
		change.Op = event.Updated
	}
	switch {
	case old.huge || isBinary(old.data) || isBinary(data):
	case len(old.data) > maxDiffed || len(data) > maxDiffed:
		change.Added, change.Removed = countLines(data), countLines(old.data)
	default:
		change.Diff, change.Added, change.Removed = unifiedDiff(path, old, data)
	}
	return change
}

// isBinary says whether data cannot be shown as text.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data)
}

// countLines counts a last line without newline too.
func countLines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
