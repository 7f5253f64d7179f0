package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"unicode/utf8"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
)

// maxKept is the size up to which a file's old content is loaded when it is changed, in bytes.
const maxKept = 64 << 20

// MaxStored is the size up to which a file's old content is stored when it is changed, in bytes.
const MaxStored = 16 << 20

// An original is a file's content before a change.
type original struct {
	data   []byte
	exists bool
	huge   bool        // larger than maxKept; data is not loaded
	perm   fs.FileMode // its permission bits; 0: not known
}

// A fileEdit replaces the content of the file path with what rewrite makes of it.
type fileEdit struct {
	workspace *workspace.Workspace
	known     *KnownFiles
	path      approval.Path
	rewrite   func(original) ([]byte, error)
	seen      *fingerprint // of the content that the change was worked out for; nil: of none
}

// propose returns what make would do, and binds it to that. It returns nil if the content
// would stay as it is.
func (e *fileEdit) propose(ctx context.Context, client ClientFiles) (*event.FileChange, error) {
	old, err := readOriginal(ctx, e.workspace, client, e.path)
	if err != nil {
		return nil, err
	}
	seen := old.fingerprint()
	e.seen = &seen
	data, err := e.rewrite(old)
	if err != nil || old.is(data) {
		return nil, err
	}
	return fileChange(e.workspace.Rel(e.path.Path), old, data), nil
}

// make changes the file. Changes of one workspace come one after another, so none is lost.
// It returns nil if the content stays as it is; if rewrite fails, nothing is changed and
// the error is rewrite's. The old content is stored meanwhile.
func (e *fileEdit) make(ctx context.Context, hooks Hooks) (*event.FileChange, error) {
	w := e.workspace
	defer w.LockFiles()()
	old, err := readOriginal(ctx, w, hooks.Files, e.path)
	if err != nil {
		return nil, err
	}
	if e.seen != nil && *e.seen != old.fingerprint() {
		return nil, errChanged
	}
	data, err := e.rewrite(old)
	if err != nil || old.is(data) {
		return nil, err
	}
	before := old.keep(hooks.Keep)
	if hooks.Files.writes(old, data) {
		err = hooks.Files.write(ctx, w, e.path, data)
	} else {
		err = w.WriteFile(e.path, data, 0o666)
	}
	change := fileChange(w.Rel(e.path.Path), old, data)
	if change.Before = before(); err != nil {
		return nil, err
	}
	e.known.changed(e.path.Path, old, data)
	return change, nil
}

// proposal is propose with an error for the model; doing is the tool's verb.
func (e *fileEdit) proposal(ctx context.Context, client ClientFiles, doing string) ([]event.FileChange, error) {
	change, err := e.propose(ctx, client)
	switch {
	case err != nil:
		return nil, errors.New(cannot(e.workspace, doing, e.path, err).Text)
	case change == nil:
		return nil, nil
	}
	return []event.FileChange{*change}, nil
}

// name returns the file as one line of text, relative to the workspace.
func (e *fileEdit) name() string { return workspace.DisplayName(e.workspace.Rel(e.path.Path)) }

// errChanged is a file that is no longer what its change was shown for.
var errChanged = errors.New("its content has changed since the change was shown: read it again")

// A fingerprint distinguishes contents without keeping them.
type fingerprint struct {
	exists, huge bool
	sum          [sha256.Size]byte
}

func (o original) fingerprint() fingerprint {
	return fingerprint{o.exists, o.huge, sha256.Sum256(o.data)}
}

// keep begins to store the content for a later undo, and returns what waits for its address: "" if it is not stored. The
// caller must wait.
func (o original) keep(store func(data []byte) (address string)) (address func() string) {
	if !o.exists || o.huge || len(o.data) > MaxStored || store == nil {
		return func() string { return "" }
	}
	stored := make(chan string, 1)
	go func() { stored <- store(o.data) }()
	return func() string { return <-stored }
}

// is reports whether data is what is there already.
func (o original) is(data []byte) bool { return o.exists && !o.huge && bytes.Equal(o.data, data) }

// readOriginal reads a file: as the client has it, or else from our own disk.
func readOriginal(ctx context.Context, w *workspace.Workspace, client ClientFiles, p approval.Path) (original, error) {
	if old, ok, err := client.text(ctx, w, p); ok || err != nil {
		return old, err
	}
	return originalOnDisk(w, p)
}

func originalOnDisk(w *workspace.Workspace, p approval.Path) (original, error) {
	file, err := w.Open(p)
	if errors.Is(err, fs.ErrNotExist) {
		return original{}, nil
	}
	if err != nil {
		return original{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return original{}, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxKept+1))
	if err != nil {
		return original{}, err
	}
	old := original{exists: true, perm: info.Mode().Perm()}
	if old.huge = len(data) > maxKept; !old.huge {
		old.data = data
	}
	return old, nil
}

// fileChange returns the fact that path had the content old and now has data.
func fileChange(path string, old original, data []byte) *event.FileChange {
	change := &event.FileChange{Path: path, Op: event.Created, Existed: old.exists, After: contentHash(data)}
	if old.exists {
		change.Op = event.Updated
	}
	switch {
	case old.huge || isBinary(old.data) || isBinary(data):
	case len(old.data) > maxDiffed || len(data) > maxDiffed:
		change.Added, change.Removed = countLines(data), countLines(old.data)
	default:
		change.Diff, change.Added, change.Removed = unifiedDiff(path, old, data)
		CutDiff(change, maxDiffs)
	}
	return change
}

// contentHash returns the SHA-256 of a file, in hex: the content address of the same data.
func contentHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// isBinary reports whether data cannot be shown as text.
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
