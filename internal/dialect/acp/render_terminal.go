package acp

import (
	"parley.dev/parley/internal/event"
)

// This file shows commands in terminals of the client.

// started shows that a call runs. A command for a terminal of the client is shown as running with its terminal.
func (v *view) started(c *call, e event.ToolStarted) {
	inTerminal := v.terminals && c.prefix == "" && c.Tool == toolShell && c.Server == "" && e.Confined == ""
	if inTerminal {
		return
	}
	c.status = ToolInProgress
	start := ToolCall{Status: c.status}
	if c.output.terminal {
		start.Content = terminalOf(c)
	}
	v.update(c, start)
}

// showTerminal shows the terminal of a call.
func (v *view) showTerminal(c *call, terminal string) {
	c.status, c.output.terminal = ToolInProgress, false
	v.update(c, ToolCall{Status: ToolInProgress, Content: []ToolContent{TerminalOfTool{"terminal", terminal}}})
}

// endInTerminal returns the end of a call whose command ran in a terminal of the client: the terminal, and after it, if it
// has failed, what the model reads. It has not failed where the end of the command is known, whatever its exit code.
func (v *view) endInTerminal(end ToolCall, e event.ToolEnded) ToolCall {
	run := *e.Shell
	content := []ToolContent{TerminalOfTool{"terminal", run.Terminal}}
	if e.Outcome != event.Interrupted && !run.TimedOut && (run.ExitCode >= 0 || run.Signal != "") {
		end.Status, end.Content = ToolCompleted, content
		return end
	}
	end.Content = append(content, end.Content...)
	return end
}
