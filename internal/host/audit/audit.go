// Package audit writes what clients of a host did into a file of JSON lines. It knows no connection and no protocol.
package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lock"
)

// An Entry is a line of the file. Members that do not apply are empty.
type Entry struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"` // connected, disconnected, refused, link, signed_in, signed_out, or the method of a request
	Token   string    `json:"token,omitzero"`
	Name    string    `json:"name,omitzero"` // of the token
	Role    string    `json:"role,omitzero"`
	Address string    `json:"address,omitzero"` // of the client
	Dialect string    `json:"dialect,omitzero"`
	Client  string    `json:"client,omitzero"` // as it calls itself
	PID     int       `json:"pid,omitzero"`    // of its process, if that is on this machine
	UID     *int      `json:"uid,omitzero"`    // of the user of that process
	Session string    `json:"session,omitzero"`
	Target  string    `json:"target,omitzero"` // what an answer, or a request about tokens, is about
	Allowed *bool     `json:"allowed,omitzero"`
	Problem string    `json:"problem,omitzero"`
}

// Path returns where the log of a state folder is.
func Path(home string) string { return filepath.Join(home, "run", "audit.jsonl") }

// limit is the size in bytes at which the file is renamed and a new one begun.
const limit = 8 << 20

// A Log appends to a file. When that is full, it becomes the file with .1 after its name, in place of the one before.
// Its methods are safe for concurrent use.
type Log struct {
	path  string
	limit int64

	mu   lock.Mutex
	file *os.File
	size int64
}

// Open opens the log at path, which only the user can read; its folder is made if it is missing.
func Open(path string) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	l := &Log{path: path, limit: limit}
	return l, l.open()
}

// open opens the file, through no link. The lock is held, or the log is new.
func (l *Log) open() error {
	file, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|noFollow|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", l.path)
	}
	if err == nil {
		err = file.Chmod(0o600)
	}
	if err != nil {
		file.Close()
		return fmt.Errorf("audit log: %w", err)
	}
	l.file, l.size = file, info.Size()
	return nil
}

// Add writes an entry, with the time now.
func (l *Log) Add(e Entry) error {
	e.Time = time.Now().UTC()
	line, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(line)) > l.limit {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	return nil
}

// rotate begins a new file. If that fails, the old one is used on.
func (l *Log) rotate() error {
	if err := os.Rename(l.path, l.path+".1"); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	full := l.file
	if err := l.open(); err != nil {
		return err
	}
	return full.Close()
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
