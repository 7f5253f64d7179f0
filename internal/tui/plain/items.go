package plain

import (
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

// apply adds a record, and prints what it changes.
func (c *console) apply(rec record.Record) {
	changed := c.items.Apply(rec)
	e, _ := rec.Event() // Apply shows data that cannot be read
	switch e := e.(type) {
	case record.ToolOutput:
		c.liveOutput("call "+e.Call, e.Text)
	case record.CommandOutput:
		c.liveOutput("command "+e.Command, e.Text)
	case record.RetryStarted:
		c.out.fact("notice", fmt.Sprintf("%s; the model is called again in %s (%d of %d)", strings.TrimSuffix(e.Failure.Message, "."), time.Duration(e.Delay).Round(time.Second/10), e.Attempt, e.Max))
	}
	c.pending.apply(e)
	void := false
	for _, key := range changed {
		item, ok := c.items.Find(key)
		switch {
		case !ok:
			void = c.forget(key) || void
		case rec.Kind != record.KindToolIntended && rec.Kind != record.KindToolInputDelta:
			c.show(item)
		}
	}
	if void {
		c.out.fact("notice", "The answer is void; the model is called again")
	}
	if e, ok := e.(record.TurnEnded); ok && rec.Seq != 0 {
		c.turnEnded(e)
	}
}

// turnEnded prints how a turn ended.
func (c *console) turnEnded(e record.TurnEnded) {
	c.pending.turnEnded()
	c.failed = e.Reason == record.TurnFailed
	c.question = question{}
	if e.Failure != nil {
		text := e.Failure.Message
		if e.Reason == record.TurnBudget {
			text = budgetText(text)
		}
		c.out.fact("error", text)
	}
	c.out.fact("turn", e.Reason)
}

// budgetText returns why the budget stops a turn.
func budgetText(text string) string {
	const usedUp = "budget is used up"
	if strings.Contains(text, usedUp) {
		return text
	}
	return usedUp + ": " + text
}

// forget forgets an item that is gone, and reports whether a part of it was printed.
func (c *console) forget(key string) bool {
	s := c.out.progress[key]
	delete(c.out.progress, key)
	return s != nil && s.text > 0
}

// show prints what is new of an item.
func (c *console) show(i conversation.Item) {
	switch i.Kind {
	case conversation.Answer:
		c.showText(i, "answer")
	case conversation.Reasoning:
		c.showText(i, "reasoning")
	case conversation.Command, conversation.Change, conversation.Lookup, conversation.Web, conversation.Tool:
		c.showCall(i)
	case conversation.Plan:
		c.showPlan(i)
	case conversation.Subagent:
		c.showSubagent(i)
	case conversation.Approval:
		c.showApproval(i)
	case conversation.Question:
		c.showQuestion(i)
	default:
		c.showOnce(i)
	}
}

// showOnce prints an item that does not change.
func (c *console) showOnce(i conversation.Item) {
	s := c.out.of(i.Key)
	if s.ended {
		return
	}
	s.ended = true
	switch {
	case i.Kind == conversation.You && i.Via != "engine":
		text := i.Text
		for _, b := range i.Blocks {
			if b.Image != nil {
				text += "\n(image " + b.Image.Name + ")"
			}
		}
		c.out.fact("you", strings.TrimPrefix(text, "\n"))
	case i.Kind == conversation.Notice && i.Level == "error":
		c.out.fact("error", i.Text)
	case i.Kind != conversation.End:
		c.out.fact("notice", i.Text)
	}
}

// showText prints the lines of an answer that are complete. When something else is printed, the line before it is.
func (c *console) showText(i conversation.Item, tag string) {
	s := c.out.of(i.Key)
	if s.ended {
		return
	}
	if !strings.HasPrefix(i.Text, s.whole) {
		s.text, s.whole = 0, "" // not what came before
		c.out.block = ""
	}
	rest := i.Text[s.text:]
	if i.Open {
		rest = rest[:strings.LastIndexByte(rest, '\n')+1]
	}
	s.ended = !i.Open
	if rest == "" {
		return
	}
	c.flushText(i.Key)
	s.header = true
	s.text += len(rest)
	s.whole = i.Text[:s.text]
	c.out.lines(i.Key, tag, terminal.Clean(rest))
}

// flushText prints the last line of the answers that are before an item.
func (c *console) flushText(key string) {
	items := c.items.Items()
	for n := len(items) - 1; n >= 0 && n >= len(items)-8; n-- {
		i := items[n]
		if i.Key == key || !i.Open || i.Kind != conversation.Answer && i.Kind != conversation.Reasoning {
			continue
		}
		s := c.out.of(i.Key)
		if rest := i.Text[min(s.text, len(i.Text)):]; rest != "" {
			s.header, s.text, s.whole = true, len(i.Text), i.Text
			c.out.lines(i.Key, map[conversation.Kind]string{conversation.Answer: "answer", conversation.Reasoning: "reasoning"}[i.Kind], terminal.Clean(rest))
		}
	}
}

// showPlan prints the plan whenever it changes.
func (c *console) showPlan(i conversation.Item) {
	var b strings.Builder
	done := 0
	for _, item := range i.Plan {
		mark := " "
		switch item.Status {
		case "completed":
			mark = "x"
			done++
		case "in_progress":
			mark = ">"
		}
		b.WriteString("\n[" + mark + "] " + terminal.Line(item.Text))
	}
	text := fmt.Sprintf("%d of %d done%s", done, len(i.Plan), b.String())
	if s := c.out.of(i.Key); s.plan != text {
		s.plan = text
		c.out.fact("plan", text)
	}
}

// showSubagent prints the begin and the end of the work of a subagent.
func (c *console) showSubagent(i conversation.Item) {
	s, w := c.out.of(i.Key), i.Subagent
	if !s.header {
		s.header = true
		c.out.fact("subagent", w.Agent+" started: "+w.Task)
	}
	if w.Ended && !s.ended {
		s.ended = true
		c.out.fact("subagent", fmt.Sprintf("%s ended with exit %d: %s", w.Agent, w.ExitCode, w.Task))
	}
}

// choices are those of an approval.
const choices = "y Allow once, s Allow for session, w Allow in workspace, n Deny"

// showApproval prints what is about to run, why it needs an approval, and how that was answered.
func (c *console) showApproval(i conversation.Item) {
	s, a := c.out.of(i.Key), i.Approval
	if !s.header && (a.Answer != nil || c.isNext(i.Key)) {
		s.header = true
		c.showRequest(a.ApprovalAsked)
		if a.Answer == nil {
			c.out.lines("", "approval", choices+c.circumstances(a.ApprovalAsked))
		}
	}
	if a.Answer == nil || s.ended {
		return
	}
	s.ended = true
	by := ""
	switch {
	case a.Answer.By == "client" && !c.ownAnswers[i.Key] && a.Answer.Client.Name != "":
		by = "by " + a.Answer.Client.Name
	case a.Answer.By == "interrupt":
		by = "interrupted"
	case a.Answer.By == "absence":
		by = "no client could answer"
	}
	if a.Answer.Allowed {
		c.out.fact("allowed", by)
		return
	}
	reason := a.Answer.Reason
	switch {
	case by != "" && reason != "" && a.Answer.By == "client":
		reason = by + ": " + reason
	case by != "" && a.Answer.By == "client" || reason == "":
		reason = by
	}
	c.out.fact("denied", reason)
}

// isNext reports whether an item is what waits longest. Others are printed when it is their turn, so that an answer stands
// after what it is about.
func (c *console) isNext(key string) bool {
	waiting := c.items.State().Waiting
	return len(waiting) > 0 && waiting[0] == key
}

// circumstances returns lines that say why a call needs an approval, and where it works.
func (c *console) circumstances(a record.ApprovalAsked) (text string) {
	if a.Reason != "" {
		text += "\n" + exact(a.Reason)
	}
	if dir := a.Request.Dir; a.Request.Command != "" && dir != "" && dir != c.o.Workspace && dir != c.items.State().Workspace {
		text += "\nin " + exact(dir)
	}
	for _, p := range a.Request.Paths {
		if p.Outside {
			text += "\noutside of the workspace: " + exact(p.Path)
		}
	}
	return text
}

// showRequest prints what a call would do, exactly.
func (c *console) showRequest(a record.ApprovalAsked) {
	c.flushText("")
	call := c.out.of("call " + a.Call)
	call.approval = true
	switch {
	case a.Request.Command != "":
		call.header = true
		c.out.lines("", "command", exact(a.Request.Command))
	case len(a.Files) > 0:
		var all strings.Builder
		for _, f := range a.Files {
			text := changeText(record.FileChange{Path: f.Path, Op: f.Op, Diff: f.Diff, Added: f.Added, Removed: f.Removed}, exact)
			all.WriteString(text)
			c.out.lines("", "change", text)
		}
		call.changes = all.String()
	default:
		call.header = true
		text := exact(a.Request.Summary)
		if a.Request.Server != "" {
			text = exact(a.Request.Tool) + " of " + exact(a.Request.Server)
		} else if !strings.HasPrefix(text, a.Request.Tool) {
			text = exact(a.Request.Tool) + " " + text
		}
		if a.Request.URL != "" {
			text += "\n" + exact(a.Request.URL)
		}
		if a.Request.Server != "" {
			text += "\n" + exact(string(a.Input))
		}
		c.out.lines("", "tool", text)
	}
}

// changeText returns a change of a file, with its diff.
func changeText(f record.FileChange, clean func(string) string) string {
	text := fmt.Sprintf("%s +%d -%d", strings.ReplaceAll(clean(f.Path), "\n", "␊"), f.Added, f.Removed)
	if f.Op == "deleted" {
		text += "\ndeleted"
	}
	if f.Diff != "" {
		text += "\n" + clean(strings.TrimSuffix(f.Diff, "\n"))
	}
	if f.Cut > 0 {
		text += fmt.Sprintf("\n%d more lines", f.Cut)
	}
	return text
}
