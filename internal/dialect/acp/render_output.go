package acp

import (
	"time"

	"parley.dev/parley/internal/event"
)

// This file shows the output of commands while they run: as a text, or in a terminal of the client that the agent fills.

// outputPace is the time between two updates with output of commands.
const outputPace = 200 * time.Millisecond

// pace returns how long the next delta waits after the last one, if that was output of a command.
func (s *session) pace() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view.commandOutput {
		return outputPace
	}
	return 0
}

// An output is what a running command has written.
type output struct {
	tail     []byte // the last part
	dropped  int    // bytes before tail
	terminal bool   // the client shows it in a terminal
	sent     bool   // the terminal has some of it
}

// beginTerminal gives a command a terminal, if the client shows them.
func (v *view) beginTerminal(c *call, begun *ToolCall) {
	if !v.caps.Meta.TerminalOutput || c.prefix != "" || c.Server != "" || c.Tool != toolShell || c.broken {
		return
	}
	c.output.terminal = true
	begun.Content = terminalOf(c)
	begun.Meta = &ToolCallMeta{TerminalInfo: &TerminalInfo{TerminalID: c.id, Cwd: v.pathOf(c, c.args.Dir)}}
}

func terminalOf(c *call) []ToolContent { return []ToolContent{TerminalOfTool{"terminal", c.id}} }

// growOutput shows the output of a command.
func (v *view) growOutput(c *call, piece string) {
	if c.output.terminal {
		c.output.sent = true
		v.update(c, ToolCall{Meta: &ToolCallMeta{TerminalOutput: &TerminalOutput{c.id, piece}}})
		return
	}
	c.output.add(piece)
	v.update(c, ToolCall{Content: []ToolContent{textOfTool(lastPart(string(c.output.tail), c.output.dropped))}})
}

func (o *output) add(piece string) {
	o.tail = append(o.tail, piece...)
	if excess := len(o.tail) - contentLimit; excess > 0 {
		o.tail = append(o.tail[:0], o.tail[excess:]...)
		o.dropped += excess
	}
}

// endTerminal ends the terminal of a command. One that has run stays; of another one the content of end says why not.
func (v *view) endTerminal(c *call, e event.ToolEnded, end *ToolCall) {
	exit := &TerminalExit{TerminalID: c.id}
	end.Meta = &ToolCallMeta{TerminalExit: exit}
	run := e.Shell
	if run == nil {
		return
	}
	exit.ExitCode = exitCode(run)
	if run.Signal != "" {
		exit.Signal = &run.Signal
	}
	if !c.output.sent && e.Output != "" {
		end.Meta.TerminalOutput = &TerminalOutput{c.id, e.Output}
	}
	end.Content = append(terminalOf(c), v.diffs(c, e.Changes)...)
}
