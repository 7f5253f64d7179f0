package plain

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

// liveOutput prints the lines of an output that are complete.
func (c *console) liveOutput(key, text string) {
	item, ok := c.items.Find(key)
	if !ok || !item.Open || item.Shell == nil {
		return
	}
	c.beginCall(item)
	s := c.out.of(key)
	s.live = true
	s.partial += text
	if at := strings.LastIndexByte(s.partial, '\n'); at >= 0 {
		c.printOutput(key, s, output(s.partial[:at+1]))
		s.partial = s.partial[at+1:]
	}
	if at := strings.LastIndexByte(strings.TrimSuffix(s.partial, "\r"), '\r'); at >= 0 {
		s.partial = s.partial[at+1:] // the rest is overwritten
	}
	if over := len(s.partial) - conversation.OutputLimit; over > 0 {
		s.partial = s.partial[over:]
	}
}

// printOutput prints whole lines of an output.
func (c *console) printOutput(key string, s *progress, text string) {
	if text == "" {
		return
	}
	if s.long = s.long || s.lines.Len()+len(text) > conversation.OutputLimit; !s.long {
		s.lines.WriteString(text)
	}
	c.out.lines("output "+key, "output", text)
}

// beginCall prints what a call does, if nothing has yet.
func (c *console) beginCall(i conversation.Item) {
	s := c.out.of(i.Key)
	if s.header || s.changes != "" {
		return
	}
	s.header = true
	c.flushText(i.Key)
	switch {
	case i.Shell != nil:
		c.out.fact("command", i.Shell.Command)
	case i.Kind != conversation.Change && i.Call != nil:
		name := i.Call.Name
		if i.Call.Server != "" {
			name += " of " + i.Call.Server
		}
		c.out.fact("tool", terminal.Line(strings.TrimSpace(name+" "+i.Call.Summary)))
	}
}

// showCall prints a call or a command of the user.
func (c *console) showCall(i conversation.Item) {
	s := c.out.of(i.Key)
	if s.ended {
		return
	}
	if i.Open {
		c.beginCall(i)
		return
	}
	s.ended = true
	outcome := ""
	if i.Call != nil {
		outcome = i.Call.Outcome
	}
	if outcome == record.CallDenied {
		if !s.approval {
			c.beginCall(i)
			c.out.fact("denied", i.Call.Output)
		}
		return
	}
	c.beginCall(i)
	switch {
	case i.Shell != nil:
		c.endCommand(i, s)
	case outcome != "" && outcome != record.CallSucceeded:
		if i.Kind == conversation.Change && s.changes == "" {
			c.out.fact("tool", terminal.Line(i.Call.Name+" "+i.Call.Summary))
		}
		c.out.fact("error", strings.TrimSpace(i.Call.Output))
	case i.Kind == conversation.Web:
		c.showHits(i)
	case i.Kind == conversation.Tool:
		c.showResult(i, s)
	}
	c.showChanges(i, s)
}

// showChanges prints the changes of a call, but those that its approval has shown.
func (c *console) showChanges(i conversation.Item, s *progress) {
	var all strings.Builder
	for _, f := range i.Changes {
		all.WriteString(changeText(f, exact))
	}
	if all.String() == s.changes {
		return
	}
	for _, f := range i.Changes {
		c.out.lines("", "change", changeText(f, terminal.Clean))
	}
}

// endCommand prints the rest of the output of a command, and how it ended.
func (c *console) endCommand(i conversation.Item, s *progress) {
	switch all := strings.TrimSuffix(output(i.Shell.Output), "\n"); {
	case !i.Shell.Ended:
		c.out.fact("error", strings.TrimSpace(all))
		return
	case all == "":
	case !s.long && strings.HasPrefix(all+"\n", s.lines.String()):
		c.printOutput(i.Key, s, (all + "\n")[s.lines.Len():])
	case s.partial != "":
		c.printOutput(i.Key, s, output(s.partial)+"\n")
	}
	if i.Shell.Cut && !s.live {
		c.out.fact("notice", "The output is not complete")
	}
	exit := fmt.Sprint(i.Shell.ExitCode)
	if i.Shell.Signal != "" {
		exit += " " + i.Shell.Signal
	}
	if i.Shell.TimedOut {
		exit += " timed out"
	}
	c.out.fact("exit", exit)
}

// showHits prints the results of a search of the web.
func (c *console) showHits(i conversation.Item) {
	if i.Call.Search == nil {
		return
	}
	for _, hit := range i.Call.Search.Results {
		c.out.fact("output", terminal.Line(hit.Title+" "+hit.URL))
	}
}

// resultLines is how much of the result of a tool is printed.
const resultLines = 20

// showResult prints the beginning of the result of a tool.
func (c *console) showResult(i conversation.Item, s *progress) {
	text := strings.TrimSpace(output(i.Call.Output))
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if over := len(lines) - resultLines; over > 0 {
		lines = append(lines[:resultLines], fmt.Sprintf("%d more lines", over))
	}
	c.printOutput(i.Key, s, strings.Join(lines, "\n")+"\n")
	for _, image := range i.Call.Images {
		c.out.fact("output", strings.TrimSpace("image "+image.MIME+" "+image.Name))
	}
}
