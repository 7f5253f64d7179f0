package conversation

import (
	"slices"
	"strings"
	"time"

	"parley.dev/parley/record"
)

func callKey(call string) string { return "call " + call }

// tools are the kinds of the items of calls, by our names of the tools. Others are a Tool.
var tools = map[string]Kind{
	"shell": Command,
	"write": Change, "edit": Change, "patch": Change,
	"read": Lookup, "list": Lookup, "glob": Lookup, "grep": Lookup,
	"fetch": Web, "search": Web,
}

// silent are the tools whose calls have no item unless they fail: what they do is an item of its own.
var silent = []string{"plan", "todo", "ask"}

// inputDelta shows a call while the model writes it.
func (c *Conversation) inputDelta(rec record.Record, e record.ToolInputDelta) {
	key := callKey(e.Call)
	if e.Name == "" || slices.Contains(silent, e.Name) || c.list.find(key) != nil || e.Message == c.lastAnswer {
		return
	}
	c.add(rec, Item{Key: key, Kind: Tool, Open: true, Call: &Call{ID: e.Call, Name: e.Name}})
}

// intended begins a call.
func (c *Conversation) intended(rec record.Record, e record.ToolIntended) {
	if slices.Contains(silent, e.Tool) {
		c.remove(callKey(e.Call))
		if c.silentCalls == nil {
			c.silentCalls = map[string]record.ToolIntended{}
		}
		c.silentCalls[e.Call] = e
		return
	}
	c.showCall(rec, e)
}

// showCall adds the item of a call.
func (c *Conversation) showCall(rec record.Record, e record.ToolIntended) {
	kind, in := tools[e.Tool], readInput(e.Input)
	if e.Server != "" || kind == 0 {
		kind = Tool
	}
	item := Item{Key: callKey(e.Call), Kind: kind, Open: true, Call: &Call{
		ID: e.Call, Name: e.Name, Tool: e.Tool, Server: e.Server, Input: e.Input, Summary: in.summary(),
	}}
	if kind == Command {
		item.Shell = &Shell{Command: in.command(), Dir: in.text("dir")}
	}
	c.add(rec, item)
}

// updateCall changes the call of an item.
func (c *Conversation) updateCall(call string, change func(*Item, *Call)) bool {
	return c.update(callKey(call), func(i *Item) {
		next := Call{ID: call}
		if i.Call != nil {
			next = *i.Call
		}
		change(i, &next)
		i.Call = &next
	})
}

// proposed shows what a call would change.
func (c *Conversation) proposed(e record.ChangesProposed) bool {
	return c.updateCall(e.Call, func(i *Item, _ *Call) { i.Changes = e.Changes })
}

// started says what confines a call that runs.
func (c *Conversation) started(e record.ToolStarted) bool {
	return c.updateCall(e.Call, func(i *Item, _ *Call) {
		if i.Shell != nil {
			shell := *i.Shell
			shell.Confined = e.Confined
			i.Shell = &shell
		}
	})
}

// output adds what a call or a command of the user writes.
func (c *Conversation) output(key, text string) {
	item := c.list.find(key)
	if item == nil || !item.Open || text == "" {
		return
	}
	g := c.outputs[key]
	if g == nil {
		g = &growth{}
		if c.outputs == nil {
			c.outputs = map[string]*growth{}
		}
		c.outputs[key] = g
	}
	g.add(text)
	text, cut := g.text()
	c.update(key, func(i *Item) {
		if i.Shell != nil {
			shell := *i.Shell
			shell.Output, shell.Cut = text, cut
			i.Shell = &shell
		} else if i.Call != nil {
			call := *i.Call
			call.Output, call.Cut = text, cut
			i.Call = &call
		}
	})
}

// progressed shows the progress of a call.
func (c *Conversation) progressed(e record.ToolProgress) {
	if i := c.list.find(callKey(e.Call)); i != nil && i.Open {
		c.updateCall(e.Call, func(_ *Item, call *Call) { call.Progress = e })
	}
}

// ended closes a call.
func (c *Conversation) ended(rec record.Record, e record.ToolEnded) bool {
	if silent, ok := c.silentCalls[e.Call]; ok {
		delete(c.silentCalls, e.Call)
		if e.Outcome != record.CallFailed {
			return true
		}
		c.showCall(rec, silent)
	}
	key := callKey(e.Call)
	known := c.updateCall(e.Call, func(i *Item, call *Call) {
		i.Open = false
		call.Outcome, call.Blob, call.Images, call.Ran = e.Outcome, e.OutputBlob, e.Images, time.Duration(e.Ran)
		call.Fetch, call.Search, call.Progress = e.Fetch, e.Search, record.ToolProgress{}
		call.Output, call.Cut = shortened(e.Output)
		call.Cut = call.Cut || e.OutputBlob != ""
		i.Changes = e.Changes
		if len(e.Changes) > 0 && i.Kind == Tool {
			i.Kind = Change
		}
		if i.Shell != nil || e.Shell != nil {
			c.shellEnded(i, e)
		}
	})
	delete(c.outputs, key)
	return known
}

// shellEnded closes the command of a call. What came live stays if it is the whole output: it has colours.
func (c *Conversation) shellEnded(i *Item, e record.ToolEnded) {
	var shell Shell
	if i.Shell != nil {
		shell = *i.Shell
	}
	live, run := shell, e.Shell
	if run == nil {
		run = &record.ShellRun{Command: shell.Command, Dir: shell.Dir}
	}
	if i.Kind == Tool {
		i.Kind = Command
	}
	shell.close(run)
	shell.Ended, shell.Outcome = e.Shell != nil, e.Outcome
	written := strings.TrimSuffix(e.Output, run.Note)
	if e.Shell == nil && e.Outcome != record.CallSucceeded {
		written = e.Output // why it did not run
	}
	shell.Output, shell.Cut = shortened(written)
	shell.Blob = run.FullBlob
	if shell.Blob == "" {
		shell.Blob = e.OutputBlob
	}
	shell.Cut = shell.Cut || run.Omitted > 0 || e.OutputBlob != ""
	if !live.Cut && !shell.Cut && live.Output != "" && plainText(live.Output) == plainText(shell.Output) {
		shell.Output = live.Output
	}
	i.Shell = &shell
}

// close takes over how a command ended.
func (s *Shell) close(run *record.ShellRun) {
	if run.Command != "" {
		s.Command = run.Command
	}
	if run.Dir != "" {
		s.Dir = run.Dir
	}
	s.Ended, s.ExitCode, s.Signal, s.TimedOut = true, run.ExitCode, run.Signal, run.TimedOut
}

// shortened returns the end of an output, and whether it is not all of it.
func shortened(output string) (text string, cut bool) {
	text = suffix(output, OutputLimit)
	return text, len(text) < len(output)
}

func commandKey(rec record.Record, id string) string {
	if id == "" {
		return recordKey(rec)
	}
	return "command " + id
}

// commandStarted begins a command of the user.
func (c *Conversation) commandStarted(rec record.Record, e record.CommandStarted) {
	c.add(rec, Item{
		Key: commandKey(rec, e.ID), Kind: Command, Open: true, Client: e.Client, Shell: &Shell{Command: e.Command},
	})
}

// commandRan closes a command of the user.
func (c *Conversation) commandRan(rec record.Record, e record.CommandRan) bool {
	key := commandKey(rec, e.ID)
	known := c.list.find(key) != nil
	if !known {
		c.add(rec, Item{Key: key, Kind: Command, Shell: &Shell{}})
	}
	c.update(key, func(i *Item) {
		live := *i.Shell
		shell := live
		shell.close(&e.Shell)
		shell.Output, shell.Cut = shortened(e.Output)
		shell.Cut = shell.Cut || e.Cut
		shell.Blob = e.Shell.FullBlob
		switch {
		case e.Unknown:
			shell.Outcome = record.CallUnknown
		case e.Cancelled:
			shell.Outcome = record.CallInterrupted
		}
		if !live.Cut && !shell.Cut && live.Output != "" && plainText(live.Output) == plainText(shell.Output) {
			shell.Output = live.Output
		}
		i.Shell, i.Open = &shell, false
	})
	delete(c.outputs, key)
	return known
}
