package codex

import (
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
)

// A call is an item of the agent that does something.
type call struct {
	item
	id      string // in the turn
	output  string // so far
	request string // id of the request that the call was made for; "": it is an item
	asked   bool   // an approval was requested
	ended   bool
	verdict atomic.Int32 // on the request: one of the verdicts
}

// The verdicts on a request, which are given by any goroutine.
const (
	pending = iota
	allowed
	denied
)

// callID returns the id of a call in the turn. Those of subagents have the thread in it.
func callID(thread, item string, own bool) string {
	if own {
		return item
	}
	return thread + "/" + item
}

// begin takes the start of an item.
func (t *turn) begin(n notice, own bool) {
	i, ok := itemOf(n)
	if !ok {
		return
	}
	switch i.Type {
	case "userMessage", "agentMessage", "reasoning", "plan":
		return // they have deltas
	case "contextCompaction":
		if own {
			t.send(backend.Compacting{}, nil)
		}
		return
	}
	t.open(callID(n.ThreadID, i.ID, own), i, n.Item)
}

// itemOf returns the item of a notification.
func itemOf(n notice) (i item, ok bool) {
	err := json.Unmarshal(n.Item, &i)
	return i, err == nil && i.Type != "" && i.ID != ""
}

// open yields a call, unless there is one of that id.
func (t *turn) open(id string, i item, whole jsontext.Value) *call {
	if c := t.calls[id]; c != nil && !c.ended {
		return c
	}
	c := &call{item: i, id: id}
	t.calls[id] = c
	t.order = append(t.order, c)
	t.message.grown = true
	t.send(t.begun(c, whole), nil)
	return c
}

// complete takes the end of an item.
func (t *turn) complete(n notice, own bool) {
	i, ok := itemOf(n)
	if !ok {
		return
	}
	switch i.Type {
	case "userMessage":
		return
	case "agentMessage", "reasoning", "plan":
		if own {
			t.endItem(i)
		}
		return
	case "contextCompaction":
		if own {
			t.send(backend.Compacted{}, nil)
		}
		return
	}
	id := callID(n.ThreadID, i.ID, own)
	c := t.calls[id]
	if c == nil {
		c = t.open(id, i, n.Item) // some kinds have no start
	}
	if c.ended {
		return
	}
	c.item = i
	c.ended = true
	if !c.withdrawn() {
		t.send(c.end(), nil)
	}
}

// withdrawn reports whether the agent has ended a call without the answer to its request. The call has not run.
func (c *call) withdrawn() bool { return c.asked && c.verdict.Load() == pending }

// output yields more of what a command writes.
func (t *turn) output(id, text string) {
	if c := t.calls[id]; c != nil && !c.ended && text != "" {
		c.output += text
		t.send(backend.Output{Call: id, Text: text}, nil)
	}
}

// endCalls yields the end of the calls that run, and that the agent has not ended. It reports whether a command is among them: it
// runs on.
func (t *turn) endCalls() (running bool) {
	for _, c := range t.order {
		if c.ended {
			continue
		}
		c.ended = true
		if c.output == "" && c.verdict.Load() != allowed {
			continue // it has not run
		}
		e := backend.CallEnd{Call: c.id, Outcome: event.Interrupted, Text: c.output}
		if c.Type == "commandExecution" && c.request == "" {
			running = true
			e.Shell = c.shell(-1)
			if t.last.Reason == event.TurnCompleted {
				const note = "[the command runs on in the background]"
				e.Outcome, e.Text, e.Shell.Note = event.Succeeded, strings.TrimPrefix(c.output+"\n"+note, "\n"), note
			}
		}
		t.send(e, nil)
	}
	return running
}

// quiet are the kinds of items that change nothing by themselves. Calls of subagents are items of their own.
var quiet = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{
		"webSearch": true, "imageView": true, "imageGeneration": true, "sleep": true, "collabAgentToolCall": true, "subAgentActivity": true,
		"enteredReviewMode": true, "exitedReviewMode": true, "functionCallOutput": true, "hookPrompt": true,
	}
}}

// begun returns the start of a call, with what it needs. What is not known may do everything, and its input is the whole item.
func (t *turn) begun(c *call, whole jsontext.Value) backend.Call {
	b := backend.Call{ID: c.id, Name: c.Type}
	b.Level = approval.Execute
	var input any
	switch c.Type {
	case "commandExecution":
		b.Tool, b.Command, b.Dir = "shell", commandOf(c.Command), c.Cwd
		b.Unconfined = !t.agent.confined
		b.Summary = b.Command
		input = map[string]string{"command": b.Command}
	case "fileChange":
		b.Tool, b.Level, b.Paths, b.Edits = "patch", approval.Write, pathsOf(c.Changes), editsOf(c.Changes)
		b.Summary = strings.Join(b.Paths, ", ")
		input = map[string]string{"input": patchOf(c.Changes)}
	case "mcpToolCall":
		b.Name = "mcp__" + c.Server + "__" + c.Tool
		if c.ReadOnlyHint {
			b.Level = approval.Read
		}
		b.Input = c.Arguments.Clone()
	case "dynamicToolCall":
		b.Name, b.Input = c.Tool, c.Arguments.Clone()
	case "collabAgentToolCall":
		b.Name = c.Tool
		input = map[string]string{"prompt": c.Prompt}
	case "webSearch":
		b.Tool, b.Summary = "search", c.Query
		input = map[string]string{"query": c.Query}
	case "imageView":
		b.Tool, b.Paths = "read", []string{c.Path}
		input = map[string]string{"path": c.Path}
	default:
		b.Input = whole.Clone()
	}
	if quiet.Get()[c.Type] {
		b.Level = approval.Read
	}
	if b.Name == "" {
		b.Name = c.Type
	}
	if b.Summary == "" {
		b.Summary = b.Name
	}
	if input != nil {
		b.Input, _ = json.Marshal(input, jsontext.AllowInvalidUTF8(true)) // of texts: cannot fail
	}
	if b.Input.Kind() != jsontext.KindBeginObject {
		b.Input = jsontext.Value("{}")
	}
	return b
}

// end returns the end of a call.
func (c *call) end() backend.CallEnd {
	e := backend.CallEnd{Call: c.id, Outcome: event.Succeeded}
	switch {
	case c.Status == "declined":
		e.Outcome, e.NotRun = event.Denied, true
	case c.Status == "failed" && c.verdict.Load() == denied:
		e.Outcome, e.NotRun = event.Denied, true // tool servers have no other word for it
	case c.Status == "failed" || c.Success != nil && !*c.Success:
		e.Outcome = event.Failed
	}
	switch c.Type {
	case "commandExecution":
		e.Text = firstOf(c.AggregatedOutput, c.output)
		if e.Outcome != event.Denied {
			code := -1
			if c.ExitCode != nil {
				code = *c.ExitCode
			}
			e.Shell = c.shell(code)
		}
	case "fileChange":
		e.Text = changesText(c.Changes)
		if e.Outcome == event.Succeeded {
			e.Edits = editsOf(c.Changes)
		}
	default:
		e.Text = c.result()
	}
	return e
}

func (c *call) shell(code int) *event.ShellRun {
	return &event.ShellRun{Command: commandOf(c.Command), Dir: c.Cwd, ExitCode: code}
}

// result returns the result of a tool as text.
func (c *call) result() string {
	var texts []string
	var result toolResult
	if c.Error != nil {
		texts = append(texts, c.Error.Message)
	}
	if json.Unmarshal(c.Result, &result) == nil {
		c.ContentItems = append(c.ContentItems, result.Content...)
	}
	for _, part := range c.ContentItems {
		switch {
		case part.Text != "":
			texts = append(texts, part.Text)
		case part.Type != "":
			texts = append(texts, "["+part.Type+"]")
		}
	}
	var output string
	_ = json.Unmarshal(c.Output, &output) // images are not shown
	for _, text := range []string{c.Text, output} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
