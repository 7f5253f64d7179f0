package sessionfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/regular"
)

// The modes of what is written.
const (
	FolderMode = 0o700
	FileMode   = 0o600
)

// ErrAhead reports that another program has written to a session's file: it has entries that
// the journal does not contain. The file is left unchanged; an import reads them.
var ErrAhead = errors.New("the session file has entries of another program")

// A Mirror keeps the file of a session up to date. It is for one goroutine.
//
// The file is made with the first answer of the model, or when create is called. What cannot
// be written is tried again with the next record.
type Mirror struct {
	Path    string
	records iter.Seq2[event.Record, error]
	scribe  *scribe
	made    bool   // the file is there
	wanted  bool   // also without an answer
	title   string // in the file
	written uint64 // the last record whose entries are in the file
	head    uint64 // the last record taken
	pending []byte // lines that are not in the file
	size    int64  // of the file after the last write; 0: unknown
}

// OpenMirror returns the mirror of a session in the file path. The records are those of its
// journal, and can be ranged over again; none are a session that has no journal yet. A file
// that has a part of their entries is continued, and one that is damaged is written anew; with ErrAhead and errNoSession it
// is left unchanged.
func OpenMirror(path string, with message.Surroundings, parent string, records iter.Seq2[event.Record, error]) (*Mirror, error) {
	m := &Mirror{Path: path, records: records, scribe: newScribe(with, parent)}
	file, err := regular.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, m.start(nil)
	case err != nil:
		return nil, fmt.Errorf("session file: %w", err)
	}
	defer file.Close()
	return m, m.start(file)
}

// Reopen compares the file with the journal again, after another process wrote to both.
func (m *Mirror) Reopen() error {
	fresh, err := OpenMirror(m.Path, m.scribe.With, m.scribe.header.ParentSession, m.records)
	if err != nil {
		return err
	}
	fresh.wanted = fresh.wanted || m.wanted
	m.scribe, m.made, m.wanted, m.title = fresh.scribe, fresh.made, fresh.wanted, fresh.title
	m.written, m.head, m.pending, m.size = fresh.written, fresh.head, fresh.pending, fresh.size
	return nil
}

// start takes what the journal has. file is nil where there is none.
func (m *Mirror) start(file *os.File) error {
	var source io.Reader
	if file != nil {
		source = file
	}
	old := compareWith(source)
	answered := false
	for rec, err := range m.records {
		if err != nil {
			return fmt.Errorf("session file: %w", err)
		}
		m.head = rec.Seq
		for _, e := range m.scribe.write(rec) {
			line := e.Line()
			answered = answered || isAnswer(e)
			if old.next(e.ID, line) {
				m.pending = append(append(m.pending, line...), '\n')
			}
		}
	}
	same, err := old.end(m.scribe.header)
	switch {
	case err != nil:
		return fmt.Errorf("session file %s: %w", m.Path, err)
	case m.head == 0:
		m.wanted = file != nil // another program made an empty one
		return nil
	case file == nil && !answered:
		return m.keepAll()
	case !same:
		m.pending = nil
		return m.rewrite()
	}
	m.made, m.title = true, old.header.Title
	if m.title != m.scribe.header.Title {
		if err := m.retitle(); err != nil {
			return err
		}
	}
	return m.flush()
}

// keepAll takes the lines of a session without an answer, of which there are few.
func (m *Mirror) keepAll() error {
	s := newScribe(m.scribe.With, m.scribe.header.ParentSession)
	for rec, err := range m.records {
		if err != nil {
			return fmt.Errorf("session file: %w", err)
		}
		for _, e := range s.write(rec) {
			m.pending = append(append(m.pending, e.Line()...), '\n')
		}
	}
	return nil
}

// Create makes the file at once, or with the record that says whose it is.
func (m *Mirror) Create() error {
	m.wanted = true
	if m.made || m.head == 0 {
		return nil
	}
	return m.make()
}

// Take takes the next record. Those that are transient, or were taken before, are ignored.
func (m *Mirror) Take(rec event.Record) error {
	if rec.Seq <= m.head {
		return nil
	}
	m.head = rec.Seq
	answered := false
	for _, e := range m.scribe.write(rec) {
		answered = answered || isAnswer(e)
		if rec.Seq > m.written {
			m.pending = append(append(m.pending, e.Line()...), '\n')
		}
	}
	switch {
	case !m.made && (m.wanted || answered):
		return m.make()
	case !m.made:
		return nil
	case m.title != m.scribe.header.Title:
		if err := m.retitle(); err != nil {
			return err
		}
	}
	return m.flush()
}

func isAnswer(e Entry) bool {
	m := e.Message()
	return m != nil && m.MessageRole() == message.RoleAssistant
}

// make makes the file of what is pending: all there is.
func (m *Mirror) make() error {
	err := m.replace(func(w io.Writer) error {
		if err := writeLine(w, rawjson.Marshal(m.scribe.header)); err != nil {
			return err
		}
		_, err := w.Write(m.pending)
		return err
	})
	if err == nil {
		m.made, m.pending, m.title, m.written = true, nil, m.scribe.header.Title, m.head
	}
	return err
}

// rewrite makes the file of all that the journal has.
func (m *Mirror) rewrite() error {
	last := m.head
	records := func(yield func(event.Record, error) bool) {
		for rec, err := range m.records {
			last = max(last, rec.Seq)
			if !yield(rec, err) {
				return
			}
		}
	}
	err := m.replace(func(w io.Writer) error {
		return Write(w, records, m.scribe.With, m.scribe.header.ParentSession)
	})
	if err == nil {
		m.made, m.pending, m.title, m.written = true, nil, m.scribe.header.Title, last
	}
	return err
}

// retitle writes the header anew, and leaves the rest as it is.
func (m *Mirror) retitle() error {
	old, err := regular.Open(m.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return m.rewrite()
	}
	if err != nil {
		return fmt.Errorf("session file: %w", err)
	}
	defer old.Close()
	rest := bufio.NewReader(old)
	err = m.replace(func(w io.Writer) error {
		if err := writeLine(w, rawjson.Marshal(m.scribe.header)); err != nil {
			return err
		}
		if _, err := rest.ReadBytes('\n'); err != nil {
			return err
		}
		_, err := rest.WriteTo(w)
		return err
	})
	if err == nil {
		m.title = m.scribe.header.Title
	}
	return err
}

// replace puts a file in place of the one that is there, if any, in one step.
func (m *Mirror) replace(write func(io.Writer) error) error {
	folder := filepath.Dir(m.Path)
	if err := os.MkdirAll(folder, FolderMode); err != nil {
		return fmt.Errorf("session file: %w", err)
	}
	file, err := atomicfile.Create(m.Path, FileMode)
	if err != nil {
		return fmt.Errorf("session file: %w", err)
	}
	defer func() { _ = file.Cleanup() }() // a no-op once it is in its place
	buffered := bufio.NewWriter(file)
	if err := write(buffered); err != nil {
		return fmt.Errorf("session file: %w", err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("session file: %w", err)
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("session file: %w", err)
	}
	m.size = 0
	return nil
}

// flush appends what is pending, whole or not at all.
func (m *Mirror) flush() error {
	if len(m.pending) == 0 {
		return nil
	}
	file, err := os.OpenFile(m.Path, os.O_WRONLY|os.O_APPEND, FileMode)
	if errors.Is(err, fs.ErrNotExist) { // another program has removed it
		return m.rewrite()
	}
	if err != nil {
		return fmt.Errorf("session file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("session file: %w", err)
	}
	if m.size != 0 && info.Size() != m.size { // another process may have written these lines
		m.size = 0
		if err := m.Reopen(); !errors.Is(err, ErrAhead) {
			return err
		}
	}
	if _, err = file.Write(m.pending); err != nil {
		_ = file.Truncate(info.Size()) // else the next reader passes over half a line
		return fmt.Errorf("session file: %w", err)
	}
	m.size = info.Size() + int64(len(m.pending))
	m.pending, m.written = nil, m.head
	return nil
}
