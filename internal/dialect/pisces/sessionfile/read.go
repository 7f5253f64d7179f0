package sessionfile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/wire"
)

// The limits of a session file, in bytes.
const (
	longestFile    = 1 << 30
	longestEntry   = 64 << 20 // longer lines are passed over
	longestPicture = 64 << 20 // larger ones stay a name
)

// Read reads a session file: of any version, its entries as version 3 has them. Pictures
// that lie in the folder blobs are put where they belong. A file that is empty, or does not
// begin like one, has no header and no entries; lines that make no sense are passed over.
//
// A client names the file: it must be a regular file of at most 1 GiB, and reading ends with ctx.
func Read(ctx context.Context, path, blobs string) (Header, []Entry, error) {
	file, err := regular.Open(path)
	if err != nil {
		return Header{}, nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() > longestFile {
		return Header{}, nil, cmp.Or(err, fmt.Errorf("session file %s: %w", path, &regular.TooLargeError{Limit: longestFile}))
	}
	return readEntries(ctx, file, func(hash string) ([]byte, error) {
		return regular.ReadFile(filepath.Join(blobs, hash), longestPicture)
	})
}

// readEntries is Read for any source; blob is a picture by the hash of what it holds.
func readEntries(ctx context.Context, source io.Reader, blob func(hash string) ([]byte, error)) (Header, []Entry, error) {
	f := fileReader{blob: blob, ids: map[string]bool{}}
	lines := wire.NewReader(contextReader{ctx, io.LimitReader(source, longestFile)}, longestEntry)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, wire.ErrLineTooLong) && f.header.Type == "":
			return Header{}, nil, nil
		case errors.Is(err, wire.ErrLineTooLong):
			continue
		case err == io.EOF:
			return f.header, f.entries, nil
		case err != nil:
			return Header{}, nil, fmt.Errorf("read session file: %w", err)
		}
		if !f.take(bytes.Clone(line)) {
			return Header{}, nil, nil
		}
	}
}

// A contextReader reads until its context ends.
type contextReader struct {
	ctx  context.Context
	from io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

// A fileReader is the fold from lines to entries.
type fileReader struct {
	blob    func(hash string) ([]byte, error)
	header  Header
	version int // of the file
	entries []Entry
	ids     map[string]bool
	made    int // ids so far
	// byLine is the ids of all lines of version 1, the header being line 0: it names entries so.
	byLine []string
}

// take takes a line. It is false if that is the first one and no header.
func (f *fileReader) take(line []byte) bool {
	obj, err := wire.ParseObject(line, rawjson.Options)
	if err != nil {
		return true
	}
	if f.header.Type == "" {
		return f.takeHeader(obj)
	}
	raw := jsontext.Value(line)
	if f.version < Version {
		m := rawjson.MembersOf(obj)
		if f.version < 2 {
			f.number(m)
		}
		renameRole(m)
		raw = m.Value()
	}
	if e, ok := readEntry(f.inlined(raw)); ok && !f.ids[e.ID] {
		f.ids[e.ID] = true
		f.entries = append(f.entries, e)
	}
	return true
}

func (f *fileReader) takeHeader(obj wire.Object) bool {
	if rawjson.Member(obj, "type") != message.EntryHeader {
		return false
	}
	f.header = Header{
		Type: message.EntryHeader, Version: Version, ID: rawjson.Member(obj, "id"), Timestamp: rawjson.Member(obj, "timestamp"), Cwd: rawjson.Member(obj, "cwd"),
		Title: rawjson.Member(obj, "title"), ParentSession: rawjson.Member(obj, "parentSession"),
	}
	f.version = 1
	if version, ok := obj.Get("version"); ok {
		_ = wire.DecodeValue(version, &f.version, rawjson.Options) // it stays 1 if it is no number
	}
	f.byLine = []string{""}
	return true
}

// number gives an entry of version 1 what it lacks: an id, the entry before it as parent,
// and, of a compaction, the id of the entry that it names by its line.
func (f *fileReader) number(m *rawjson.Members) {
	id := rawjson.PlainText(m.Get("id"))
	for id == "" || f.ids[id] {
		f.made++
		id = fmt.Sprintf("%08x", f.made)
	}
	m.Set("id", rawjson.Quoted(id))
	parent := jsontext.Value(rawjson.Null)
	if n := len(f.entries); n > 0 {
		parent = rawjson.Quoted(f.entries[n-1].ID)
	}
	m.Set("parentId", parent)
	f.byLine = append(f.byLine, id)
	if rawjson.PlainText(m.Get("type")) != entryCompaction {
		return
	}
	line := 0
	if index := m.Get("firstKeptEntryIndex"); index != nil && wire.DecodeValue(index, &line, rawjson.Options) == nil && line > 0 && line < len(f.byLine) {
		m.Set("firstKeptEntryId", rawjson.Quoted(f.byLine[line]))
		m.Drop("firstKeptEntryIndex")
	}
}

// renameRole gives a message of version 2 the role that it has today.
func renameRole(m *rawjson.Members) {
	msg := m.Get("message")
	if role, _ := message.RoleOf(msg); role != "hookMessage" {
		return
	}
	obj, err := wire.OpenObject(msg, rawjson.Options)
	if err != nil {
		return
	}
	renamed := rawjson.MembersOf(obj)
	renamed.Set("role", rawjson.Quoted(string(message.RoleCustom)))
	m.Set("message", renamed.Value())
}

const blobPrefix = "blob:sha256:"

// isHash reports whether s can be the name of a file with a picture.
func isHash(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// inlined returns an entry with the pictures that it only names. What is lost stays a name.
func (f *fileReader) inlined(raw jsontext.Value) jsontext.Value {
	return rawjson.Rewriter{
		Skips: func(value jsontext.Value) bool { return !bytes.Contains(value, []byte(blobPrefix)) },
		Change: func(_ string, isData bool, value jsontext.Value) (jsontext.Value, bool) {
			name, isRef := strings.CutPrefix(rawjson.PlainText(value), blobPrefix)
			if !isData || !isRef || !isHash(name) {
				return value, false
			}
			data, err := f.blob(name)
			if err != nil {
				return value, false
			}
			return rawjson.Quoted(base64.StdEncoding.EncodeToString(data)), true
		},
	}.Rewrite(raw)
}
