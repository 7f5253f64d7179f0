package pi

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// A call is a call of a tool as far as pi has reported it.
type call struct {
	id     string // pi's own, with a number where it came before in the turn
	name   string
	args   jsontext.Value
	text   string // of its output so far
	gated  bool   // the extension has asked about it
	notRun bool   // pi has refused its name or its input
	given  bool   // it was yielded
	ended  bool
	known  known                  // once it was yielded
	before atomic.Pointer[string] // text of the file that it writes, before; nil: not known
	absent atomic.Bool            // the file was not there
	denied atomic.Bool
	over   atomic.Bool // its turn was interrupted before it was decided
}

func digits(n int) string { return strconv.Itoa(n) }

// newCall adds a call.
func (t *turn) newCall(id string) *call {
	c := &call{id: id}
	if n := t.ids[id]; n > 0 {
		c.id += "#" + digits(n+1) // some models number the calls of each answer from 0 on
	}
	t.ids[id]++
	t.calls[id] = c
	return c
}

// call takes an event of a call.
func (t *turn) call(kind string, e toolEvent) {
	if kind == "tool_execution_start" {
		c := t.newCall(e.ID)
		c.name, c.args = e.Name, e.Args
		return // it is yielded with what it is about to run
	}
	c := t.calls[e.ID]
	switch {
	case c == nil || c.ended:
	case kind == "tool_execution_update":
		t.give(c)
		if grown := growth(c.text, e.PartialResult.text()); grown != "" {
			t.send(backend.Output{Call: c.id, Text: grown}, nil)
		}
		c.text = e.PartialResult.text()
	default:
		if !c.given && !c.gated && e.IsError {
			c.notRun = true // the extension has not seen it
		}
		t.give(c)
		c.ended = true
		t.send(c.end(e, t.interrupted, t.agent.dir), nil)
	}
}

// give yields a call, unless it was.
func (t *turn) give(c *call) {
	if c.given {
		return
	}
	c.given = true
	c.known = knownOf(c.name, c.args, t.agent.dir, t.agent.home)
	t.send(backend.Call{ID: c.id, Name: c.name, Tool: c.known.tool, Input: c.known.input, CallRequest: c.known.request}, nil)
}

// decide takes what was decided about the call. What is in a file before it is written is read now.
func (c *call) decide(v backend.Verdict) {
	if !v.Allow || v.Cancel {
		c.denied.Store(!v.Cancel)
		c.over.Store(v.Cancel)
		return
	}
	if c.name == "write" && len(c.known.request.Paths) == 1 {
		text, exists := textOf(c.known.request.Paths[0])
		c.before.Store(text)
		c.absent.Store(!exists)
	}
}

// end returns the end of the call.
func (c *call) end(e toolEvent, interrupted bool, dir string) backend.CallEnd {
	end := backend.CallEnd{Call: c.id, Outcome: event.Succeeded, Text: e.Result.text(), NotRun: c.notRun}
	switch {
	case e.IsError && c.denied.Load():
		end.Outcome = event.Denied
	case e.IsError && (interrupted || c.over.Load()):
		end.Outcome = event.Interrupted
	case e.IsError:
		end.Outcome = event.Failed
	}
	if c.known.tool == "shell" && end.Outcome != event.Denied && !c.notRun {
		end.Shell = shellRun(end.Text, e.IsError)
		end.Shell.Command, end.Shell.Dir = c.known.request.Command, dir
	}
	if !e.IsError {
		end.Edits = c.edits(e.Result.Details)
	}
	return end
}

// The ends of the results of commands that failed.
const (
	exitedWith = "Command exited with code "
	timedOut   = "Command timed out after "
)

// shellRun returns how a command has ended, from its result.
func shellRun(text string, failed bool) *event.ShellRun {
	run := &event.ShellRun{}
	if !failed {
		return run
	}
	run.ExitCode = -1
	last := text[strings.LastIndexByte(text, '\n')+1:]
	run.Note = last
	if code, ok := strings.CutPrefix(last, exitedWith); ok {
		if n, err := strconv.Atoi(code); err == nil {
			run.ExitCode = n
		}
	}
	run.TimedOut = strings.HasPrefix(last, timedOut)
	return run
}

// growth returns what a text has more than the one before. Of long output pi sends the last lines only: then the text begins with a
// line of the one before.
func growth(before, text string) string {
	if grown, ok := strings.CutPrefix(text, before); ok {
		return grown
	}
	head := text[:strings.IndexByte(text, '\n')+1]
	for at := 0; head != ""; at++ {
		next := strings.Index(before[at:], head)
		if next < 0 {
			break
		}
		at += next
		if grown, ok := strings.CutPrefix(text, before[at:]); ok {
			return grown
		}
	}
	return text
}
