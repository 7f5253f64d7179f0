package engine

import (
	"context"
	"io"
	"path/filepath"
	"unicode/utf8"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/tool"
)

// A ChangeOf is a change of a file, done or proposed, and the session that it is of.
type ChangeOf struct {
	event.FileChange
	Session event.SessionID
	Dir     string // where the session works, absolute
}

// path returns the absolute path of the file.
func (c ChangeOf) path() string {
	path := filepath.FromSlash(c.Path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Dir, path)
}

// FileTexts returns the texts of a file before and after a change. It reports false where they are not known, or one of
// them is no text or has more than limit bytes: the text before is the stored one, or, of a proposed change, the one in the
// file; the text after is what the diff makes of it, if that is what the change has left, or would leave.
func (h *Host) FileTexts(ctx context.Context, c ChangeOf, limit int) (before, after string, ok bool) {
	old, ok := h.textBefore(ctx, c, limit)
	if !ok {
		return "", "", false
	}
	var left []byte
	if c.Op == event.Deleted {
		if text, err := tool.ApplyDiff(string(old), c.Diff); err != nil || text != "" || c.Cut > 0 {
			return "", "", false
		}
	} else if left, ok = textAfter(old, c.FileChange); !ok {
		return "", "", false
	}
	if len(left) > limit || !utf8.Valid(old) || !utf8.Valid(left) {
		return "", "", false
	}
	return string(old), string(left), true
}

func textAfter(old []byte, c event.FileChange) ([]byte, bool) {
	left, err := tool.ContentAfter(old, c)
	return left, err == nil
}

// textBefore returns what was in a file before a change, if it has at most limit bytes.
func (h *Host) textBefore(ctx context.Context, c ChangeOf, limit int) (text []byte, ok bool) {
	var err error
	switch {
	case !c.Existed:
		return nil, true
	case c.Before == "":
		text, err = readText(c.path(), limit)
	default:
		if s := h.find(c.Session); s != nil {
			text, err = s.log.Blob(c.Before)
		} else {
			text, err = h.Blob(ctx, c.Session, c.Before)
		}
	}
	return text, err == nil && len(text) <= limit
}

// readText reads at most limit+1 bytes of a file.
func readText(path string, limit int) ([]byte, error) {
	file, err := regular.OpenNoFollow(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, int64(limit)+1))
}
