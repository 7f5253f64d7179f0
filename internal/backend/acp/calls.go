package acp

import (
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
	diffs []toolContent
	text  string // of its content so far
	given bool   // it was yielded
	ended bool
}

// call takes a report of a call, the first one or a later one.
func (t *turn) call(u update) {
	c := t.calls[u.ID]
	if c == nil {
		if u.ID == "" {
			return
		}
		t.release()
		c = &call{}
		c.ID = u.ID
		t.calls[u.ID] = c
		t.pending = c
		t.held.Reset(holdFor)
	}
	if c.ended {
		return
	}
	c.merge(u.toolCall)
	text := c.content(u.Content)
	if text != "" || c.Status == "in_progress" && c.hasInput() || c.Status == "completed" || c.Status == "failed" {
		if t.pending == c {
			t.release()
		}
	}
	if grown, more := strings.CutPrefix(text, c.text); more && grown != "" {
		c.text = text
		t.send(backend.Output{Call: c.ID, Text: grown}, nil)
	} else if text != "" && !more {
		c.text = text // it was replaced: the end has it
	}
	if c.Status == "completed" || c.Status == "failed" {
		c.ended = true
		t.send(c.end(), nil)
	}
}

// release yields the call that is held back.
func (t *turn) release() {
	c := t.pending
	if c == nil {
		return
	}
	t.pending = nil
	t.held.Stop()
	c.given = true
	t.send(c.begin(), nil)
}

// merge takes the members that a report has.
func (c *call) merge(next toolCall) {
	c.Title = firstOf(next.Title, c.Title)
	c.Name = firstOf(next.Name, c.Name)
	c.ToolKind = firstOf(next.ToolKind, c.ToolKind)
	c.Status = firstOf(next.Status, c.Status)
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

// input has the members of inputs that agents use.
type input struct {
	Command  jsontext.Value `json:"command"`
	Cwd      string         `json:"cwd"`
	Path     string         `json:"path"`
	FilePath string         `json:"file_path"`
	AbsPath  string         `json:"filePath"`
	URL      string         `json:"url"`
}

func (c *call) input() (in input) {
	_ = json.Unmarshal(c.RawInput, &in) // what cannot be read is not known
	return in
}

func (c *call) hasInput() bool { return len(c.RawInput) > len("{}") }

// command returns the command of a call as shell text: agents send a text, or the words.
func (in input) command() string {
	var text string
	if json.Unmarshal(in.Command, &text) == nil {
		return text
	}
	var words []string
	if json.Unmarshal(in.Command, &words) == nil {
		if len(words) == 3 && (words[1] == "-lc" || words[1] == "-c") {
			return words[2]
		}
		for i, word := range words {
			words[i] = quoted(word)
		}
		return strings.Join(words, " ")
	}
	return ""
}

// quoted returns a word for a shell.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`&|;<>()*?[]{}~#!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// paths returns the files that a call names.
func (c *call) paths() []string {
	var all []string
	for _, l := range c.Locations {
		all = append(all, l.Path)
	}
	in := c.input()
	if p := firstOf(in.FilePath, in.AbsPath, in.Path); len(all) == 0 && p != "" {
		all = append(all, p)
	}
	return all
}

// begin returns the call with what it needs.
func (c *call) begin() backend.Call {
	in := c.input()
	b := backend.Call{ID: c.ID, Name: firstOf(c.Name, c.Title, c.ToolKind, "tool"), Input: c.RawInput}
	b.Summary = firstOf(c.Title, b.Name)
	b.Level = approval.Execute
	switch c.ToolKind {
	case "execute":
		b.Tool = "shell"
		if b.Command, b.Dir = in.command(), in.Cwd; b.Command == "" {
			b.Command = c.Title
		}
		b.Input, _ = json.Marshal(map[string]string{"command": b.Command}) // of a text: cannot fail
	case "edit", "delete", "move":
		b.Level, b.Paths = approval.Write, c.paths()
	case "read":
		b.Tool = "read"
		b.Level, b.Paths = approval.Read, c.paths()
	case "search":
		b.Level, b.Paths = approval.Read, c.paths()
	case "think", "switch_mode":
		b.Level = approval.Read
	case "fetch":
		b.Level, b.URL = approval.Read, in.URL
	}
	if b.Input == nil {
		b.Input = jsontext.Value("{}")
	}
	return b
}

// end returns the end of the call.
func (c *call) end() backend.CallEnd {
	e := backend.CallEnd{Call: c.ID, Outcome: event.Succeeded, Text: c.text}
	if c.Status == "failed" {
		e.Outcome = event.Failed
	}
	if e.Text == "" {
		e.Text = outputOf(c.RawOutput)
	}
	for _, d := range c.diffs {
		e.Edits = append(e.Edits, backend.Edit{Path: d.Path, Before: d.OldText, After: d.NewText})
	}
	if c.ToolKind == "execute" {
		e.Shell = &event.ShellRun{Command: c.input().command(), Dir: c.input().Cwd}
		if c.Status == "failed" {
			e.Shell.ExitCode = -1
		}
	}
	return e
}

// outputOf returns the text of a raw output.
func outputOf(value jsontext.Value) string {
	var text string
	if value == nil || json.Unmarshal(value, &text) == nil {
		return text
	}
	var named struct {
		Text   string `json:"text"`
		Output string `json:"output"`
		Error  string `json:"error"`
	}
	_ = json.Unmarshal(value, &named) // others are shown as they are
	return firstOf(named.Text, named.Output, named.Error, string(value))
}
