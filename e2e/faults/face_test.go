//go:build linux

package faults

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/dialect/dialogue"
)

// A face is a dialect, and how it works as far as that matters here.
type face struct {
	name   string
	args   []string // after "parley"
	again  []string // the same, for the session of an earlier process
	dial   func() client
	shell  string // name of the tool that runs commands
	member string // of its input that is the command; "": command
	greets bool   // it speaks first
	asks   bool   // calls wait for the client
	tacit  bool   // no line reports that a prompt is accepted
	shows  bool   // the input of calls is shown as it streams
	// finishes: at the end of input the running turn comes to its end; else it is interrupted.
	finishes bool
	forgets  bool // the model does not hear of turns that were interrupted
	unshows  bool // a call of the model that broke is tried again though something was shown
	heir     *face
	// exits is the documented codes of each way to end.
	exits map[string][]int
	// retries is how often a call of the model is tried again that met a busy server.
	retries int
	files   map[string]string // of the home folder
	agent   bool              // an agent of another program runs the turns
}

// A client is the other side of one process. Its lines end with line feeds.
type client interface {
	// open leads from the start of the process to where a prompt may be sent, again to that of
	// a session of an earlier process; false: that is refused.
	open(r *run) bool
	again(r *run) bool
	knock() string // a line that has an answer, at any time
	prompt(text string) string
	speaks() *speaker
	accepted(s sign)
	interrupt() string
	compact() string // "": there is none on request
	allow(ask sign) string
	// read is what a line means; it is called by one goroutine, which nothing else of the
	// client is used by but allow.
	read(line []byte) []sign
}

var faces = []*face{&scaifluxFace, &piscesFace, &flintFace, &codexFace, &loafFace, &airFace, &acpFace, withAgent(scaifluxFace), withAgent(flintFace)}

// input returns the input of a call that runs a command.
func (f *face) input(command string) string {
	return fmt.Sprintf("{%q:%q}", cmp.Or(f.member, "command"), command)
}

// opener returns the face that opens sessions of f again.
func (f *face) opener() *face {
	if f.heir != nil {
		return f.heir
	}
	return f
}

// exit reports whether a code is documented for a way to end.
func (f *face) exit(way string, code int) bool { return slices.Contains(f.exits[way], code) }

// A speaker is what is the same in all clients: prompts and answers as in the table of small clients. Accepted
// prompts need no id later, and sessions are open from the start.
type speaker struct{ dialogue.Client }

// speakerOf returns a speaker of a dialect. Ids of its requests are greater than first.
func speakerOf(name string, first int) speaker {
	d, _ := dialogue.Named(name)
	return speaker{dialogue.Client{Dialect: d, Session: d.Main, Last: first}}
}

func (*speaker) open(r *run) bool { return r.opens(0) }

func (*speaker) again(r *run) bool { return r.opens(0) }

func (s *speaker) prompt(text string) string { return s.Fill(s.Prompt, text) + "\n" }

func (*speaker) accepted(sign) {}

func (s *speaker) allow(ask sign) string {
	return strings.ReplaceAll(s.Allow, "$ASK", ask.id) + "\n"
}

// speaks returns what is the same in all clients.
func (s *speaker) speaks() *speaker { return s }
