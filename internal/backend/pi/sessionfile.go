package pi

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"parley.dev/parley/internal/regular"
)

// A sessionFile is what is needed of a file in which pi stores a session.
type sessionFile struct {
	dir      string // where the session works
	answered bool   // it has an answer: before that pi does not write the file
	prompts  []string
}

// entry is a line of the file.
type entry struct {
	Type       string `json:"type"` // session, message, custom and others
	ID         string `json:"id"`
	ParentID   string `json:"parentId"` // "": it is the first
	Dir        string `json:"cwd"`      // of session
	CustomType string `json:"customType"`
	Message    struct {
		Role string `json:"role"`
	} `json:"message"`
}

var errNoSession = errors.New("the file has no session of pi")

// readSession reads the file of a session.
func readSession(path string) (s sessionFile, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return s, err
	}
	defer f.Close()
	var entries []entry
	lines := bufio.NewReaderSize(f, 1<<16)
	for {
		text, err := lines.ReadBytes('\n')
		var e entry
		if decode(bytes.TrimSpace(text), &e) { // others are what a killed process has left
			entries = append(entries, e)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, err
		}
	}
	if len(entries) == 0 || entries[0].Type != "session" {
		return s, errNoSession
	}
	s.dir = entries[0].Dir
	s.prompts, s.answered = promptsOf(entries[1:])
	return s, nil
}

// promptsOf returns the ids of the prompts of the branch that goes on, in order: the messages after the marks of the extension.
// Messages that were sent while pi worked have none.
func promptsOf(entries []entry) (prompts []string, answered bool) {
	byID := map[string]entry{}
	for _, e := range entries {
		byID[e.ID] = e
		answered = answered || e.Type == "message" && e.Message.Role == "assistant"
	}
	if len(entries) == 0 {
		return nil, false
	}
	user := "" // the message after the entry
	for id := entries[len(entries)-1].ID; id != ""; {
		e := byID[id]
		delete(byID, id) // each is met once
		switch {
		case e.Type == "custom" && e.CustomType == promptEntry && user != "":
			prompts = append(prompts, user)
			user = ""
		case e.Type == "message" && e.Message.Role == "user":
			user = e.ID
		case e.Type == "message":
			user = ""
		}
		id = e.ParentID
	}
	slices.Reverse(prompts)
	return prompts, answered
}

// sameFolder reports whether two paths are those of one folder.
func sameFolder(a, b string) bool {
	return realFolder(a) == realFolder(b)
}

func realFolder(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return filepath.Clean(path)
}
