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

// showTerminal shows the terminal of a call. A client without terminals has not made it.
func (v *view) showTerminal(c *call, terminal string) {
	c.status = ToolInProgress
	if !v.terminals {
		v.update(c, ToolCall{Status: c.status})
		return
	}
	c.output.terminal, c.terminal = false, terminal
	v.update(c, ToolCall{Status: ToolInProgress, Content: []ToolContent{TerminalOfTool{"terminal", terminal}}})
}

// endInTerminal returns the end of a call whose command ran in a terminal of a client. It has not failed where the end of the
// command is known, whatever its exit code. Its content is the terminal if that was shown, and after it, if the call has failed, what
// the model reads; in a replay, and for other clients, the content is text.
func (v *view) endInTerminal(c *call, end ToolCall, e event.ToolEnded) ToolCall {
	run := *e.Shell
	known := e.Outcome != event.Interrupted && !run.TimedOut && (run.ExitCode >= 0 || run.Signal != "")
	if known {
		end.Status = ToolCompleted
	}
	if c.terminal != run.Terminal {
		return end
	}
	content := []ToolContent{TerminalOfTool{"terminal", run.Terminal}}
	if !known {
		content = append(content, end.Content...)
	}
	end.Content = content
	return end
}
