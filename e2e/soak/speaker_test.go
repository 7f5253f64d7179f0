//go:build linux

package soak

import (
	"strings"

	"parley.dev/parley/internal/dialect/dialogue"
)

// A speaker is a dialect that has any number of sessions in one process.
type speaker struct {
	dialogue.Dialect
}

var speakers = []speaker{named("loaf"), named("flint"), named("codex"), named("acp")}

func named(name string) speaker {
	d, _ := dialogue.Named(name)
	d.Args = append(d.Args, d.Free...)
	return speaker{d}
}

// news is the content of a line.
type news struct {
	created string // session
	ended   string // the session whose turn is over
	summed  bool   // a conversation was
	wrong   string // the line, which says that something failed
}

func (s speaker) read(line []byte) (n news) {
	switch {
	case s.Failed.In(line), s.Ended.In(line) && !s.Completed.In(line):
		n.wrong = string(line)
	case dialogue.Marks{string(s.Opened)}.In(line):
		id, _ := s.Opened.Of(line)
		n.created = string(id)
	case s.Ended.In(line):
		id, _ := s.EndedIn.Of(line)
		n.ended = string(id)
	case s.Compacted != nil && s.Compacted.In(line):
		n.summed = true
	}
	return n
}

// send writes a line of the dialect to a session.
func (k *keeper) send(line, session, text string) {
	k.Helper()
	k.talk.Session = session
	if _, err := k.process.Stdin.WriteString(strings.TrimSpace(k.talk.Fill(line, text)) + "\n"); err != nil {
		k.Fatal(err)
	}
}
