package acp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// A call is a call of a tool as far as the agent has reported it.
type call struct {
	toolCall
	dir      string // of the session
	diffs    []toolContent
	text     string          // of its content so far
	shown    string          // of text, as output
	terminal strings.Builder // what its command has written so far
	written  string          // of terminal, not shown yet
	runs     bool            // it was reported as in progress
	begun    *backend.Call   // as it was yielded; nil: not yet
	cwd      string          // of its terminal
	exit     *terminalExit
	ended    bool
}

// call takes a report of a call, the first one or a later one.
func (t *turn) call(u update) {
	c := t.calls[u.ID]
	switch {
	case u.ID == "":
		return
	case c == nil && u.Kind == "tool_call_update" && u.Title == "" && u.Name == "" && u.ToolKind == "" && u.RawInput == nil:
		t.stray(u)
		return
	case c == nil:
		c = &call{dir: t.agent.session.Cwd}
		c.ID = u.ID
		t.calls[u.ID] = c
		t.pending = append(t.pending, c)
		t.held.Reset(holdFor)
	case c.ended && u.Kind == "tool_call":
		t.send(c.begin(), nil) // a second call of this id
		return
	case c.ended:
		return
	}
	c.merge(u.toolCall)
	if text := c.content(u.Content); text != "" {
		c.text = text
	}
	c.written += c.merged(u.toolCall)
	c.runs = c.runs || c.Status == "in_progress"
	if c.begun != nil && (c.runs || c.Status == "completed") && c.runsOther() {
		t.replace(c)
	}
	over := c.Status == "completed" || c.Status == "failed"
	if over || c.runs && (c.hasInput() || c.text != "" || c.written != "") {
		t.release(c)
	}
	switch {
	case over:
		c.ended = true
		t.send(c.end(), nil) // with the whole text
	case c.runs:
		t.output(c)
	}
}

// replace ends a call that runs something else than was yielded and decided, and yields what it runs as another call. Nothing has
// allowed that one.
func (t *turn) replace(c *call) {
	t.send(backend.CallEnd{Call: c.ID, Outcome: event.Failed, Text: textReplaced}, nil)
	t.replaced++
	c.ID = fmt.Sprintf("%s (changed %d)", c.ID, t.replaced)
	c.begun, c.shown = nil, ""
	t.release(c)
}

// textReplaced is the result of a call in whose place the agent runs something else.
const textReplaced = "[the agent has changed the call after it was reported, and runs something else]"

// output yields what a call has written since the last time. Of one that is pending it waits: agents report so why a call does not run.
func (t *turn) output(c *call) {
	grown, more := strings.CutPrefix(c.text, c.shown)
	if !more {
		grown = "" // it was replaced: the end has it
	}
	grown += c.written
	c.shown, c.written = c.text, ""
	if grown != "" {
		t.send(backend.Output{Call: c.ID, Text: grown}, nil)
	}
}

// stray yields a report of a call that was not begun, for the note that it does not fit.
func (t *turn) stray(u update) {
	c := &call{toolCall: u.toolCall}
	text := c.content(u.Content) + c.merged(u.toolCall)
	switch {
	case u.Status == "completed" || u.Status == "failed":
		c.text = text
		t.send(c.end(), nil)
	case text != "":
		t.send(backend.Output{Call: u.ID, Text: text}, nil)
	}
}

// release yields a call that is held back.
func (t *turn) release(c *call) {
	if c.begun != nil {
		return
	}
	t.pending = slices.DeleteFunc(t.pending, func(one *call) bool { return one == c })
	begun := c.begin()
	c.begun = &begun
	t.send(begun, nil)
}

// releaseKnown yields the calls that are held back and whose input is known. Of others the input may come as late as the request for
// permission, which is decided by it.
func (t *turn) releaseKnown() {
	for _, c := range slices.Clone(t.pending) {
		if c.hasInput() {
			t.release(c)
		}
	}
}

// changed reports whether a call needs something else than was yielded.
func (c *call) changed() bool {
	now := c.begin()
	command := c.input().command()
	other := func(path string) bool { return !slices.Contains(c.begun.Paths, path) }
	return now.Level > c.begun.Level || command != "" && command != c.begun.Command || now.URL != "" && now.URL != c.begun.URL ||
		len(c.begun.Paths) > 0 && slices.ContainsFunc(now.Paths, other)
}

// runsOther reports whether a call that runs does something else than was yielded. Calls that only read report more files later, such as
// those that a search has found.
func (c *call) runsOther() bool {
	return c.changed() && (c.begin().Level > approval.Read || c.begin().URL != c.begun.URL)
}

// merge takes the members that a report has.
func (c *call) merge(next toolCall) {
	c.Title = cmp.Or(next.Title, c.Title)
	c.Name = cmp.Or(next.Name, c.Name)
	c.ToolKind = cmp.Or(next.ToolKind, c.ToolKind)
	c.Status = cmp.Or(next.Status, c.Status)
	if next.Locations != nil {
		c.Locations = next.Locations
	}
	if next.RawInput != nil && next.RawInput.Kind() != jsontext.KindNull {
		c.RawInput = next.RawInput.Clone()
	}
	if next.RawOutput != nil && next.RawOutput.Kind() != jsontext.KindNull {
		c.RawOutput = next.RawOutput.Clone()
	}
}

// merged takes what a report has outside of the schema, and returns what the command has written since the last report.
func (c *call) merged(next toolCall) (written string) {
	var meta callMeta
	if next.Meta == nil || json.Unmarshal(next.Meta, &meta) != nil {
		return ""
	}
	c.Name = cmp.Or(c.Name, meta.ClaudeCode.ToolName)
	if meta.TerminalInfo != nil {
		c.cwd = meta.TerminalInfo.Cwd
	}
	if meta.TerminalExit != nil {
		c.exit = meta.TerminalExit
	}
	for _, o := range []*terminalOutput{meta.TerminalOutput, meta.TerminalOutputDelta} {
		if o != nil {
			written += o.Data
		}
	}
	c.terminal.WriteString(written)
	return written
}

// content takes the content of a report, and returns its text.
func (c *call) content(value jsontext.Value) string {
	var all []toolContent
	if value == nil || json.Unmarshal(value, &all) != nil {
		return ""
	}
	var text strings.Builder
	var diffs []toolContent
	for _, one := range all {
		switch one.Type {
		case "content":
			text.WriteString(textOf(one.Content))
		case "diff":
			diffs = append(diffs, one)
		}
	}
	if diffs != nil {
		c.diffs = diffs
	}
	return text.String()
}

// end returns the end of the call.
func (c *call) end() backend.CallEnd {
	out := outputOf(c.RawOutput)
	e := backend.CallEnd{Call: c.ID, Outcome: event.Succeeded, Text: cmp.Or(c.text, c.terminal.String(), out.text)}
	if c.Status == "failed" { // and the diffs are those that it was to make
		e.Outcome, e.NotRun = event.Failed, !c.runs && !out.hasCode() && (c.exit == nil || c.exit.ExitCode == nil)
	} else {
		for _, d := range c.diffs {
			e.Edits = append(e.Edits, backend.Edit{Path: d.Path, Before: d.OldText, After: d.NewText})
		}
	}
	if c.command(c.input()) != "" || c.ToolKind == "execute" {
		e.Shell = c.shell(out.exit)
	}
	return e
}

// shell returns how the command of a call has ended. Without an exit code it is that of the outcome: 0 or -1.
func (c *call) shell(exit *int) *event.ShellRun {
	in := c.input()
	run := &event.ShellRun{Command: cmp.Or(in.command(), c.Title), Dir: cmp.Or(in.dir(), c.cwd, c.dir)}
	if c.exit != nil {
		run.Signal = c.exit.Signal
		exit = c.exit.ExitCode
	}
	switch {
	case exit != nil:
		run.ExitCode = *exit
	case c.Status == "failed" || run.Signal != "":
		run.ExitCode = -1
	}
	return run
}

// An output is what agents put into the raw output of a call.
type output struct {
	text string
	exit *int // nil: not known
}

// hasCode reports whether a command has ended with a code.
func (o output) hasCode() bool { return o.exit != nil && *o.exit >= 0 }

// outputOf reads a raw output: a text, or an object with one.
func outputOf(value jsontext.Value) (out output) {
	if value == nil || json.Unmarshal(value, &out.text) == nil {
		return out
	}
	var named struct {
		Text      jsontext.Value `json:"text"`
		Output    jsontext.Value `json:"output"`
		Error     jsontext.Value `json:"error"`
		Code      jsontext.Value `json:"exitCode"`
		CodexCode jsontext.Value `json:"exit_code"`
		Metadata  struct {
			Exit jsontext.Value `json:"exit"`
		} `json:"metadata"`
	}
	_ = json.Unmarshal(value, &named) // others are shown as they are
	for _, text := range []jsontext.Value{named.Text, named.Output, named.Error} {
		if out.text == "" && text != nil {
			_ = json.Unmarshal(text, &out.text) // an object is no text
		}
	}
	for _, code := range []jsontext.Value{named.Code, named.CodexCode, named.Metadata.Exit} {
		switch {
		case out.exit != nil || code == nil:
		case code.Kind() == jsontext.KindNull: // the command was stopped
			out.exit = new(int)
			*out.exit = -1
		default:
			_ = json.Unmarshal(code, &out.exit) // what is no number is not known
		}
	}
	if out.text == "" {
		out.text = string(value)
	}
	return out
}
