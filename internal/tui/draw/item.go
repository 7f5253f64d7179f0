package draw

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

// draw returns the lines of an item, except of an answer or a command.
func (d *Drawer) draw(item conversation.Item, width int, unfolded bool) []line {
	switch item.Kind {
	case conversation.You:
		return d.you(item, width, unfolded)
	case conversation.Reasoning:
		return d.reasoning(item, width, unfolded)
	case conversation.Change:
		return d.change(item, width, unfolded)
	case conversation.Lookup:
		return d.lookup(item, width)
	case conversation.Web:
		return d.web(item, width, unfolded)
	case conversation.Tool:
		return d.tool(item, width, unfolded)
	case conversation.Plan:
		return d.plan(item, width)
	case conversation.Approval:
		return d.approval(item, width, unfolded)
	case conversation.Question:
		return d.question(item, width)
	case conversation.Notice:
		return d.notice(item, width)
	case conversation.Rule:
		return d.rule(item, width)
	case conversation.End:
		return d.end(item, width)
	}
	return d.block(span{}, d.wrapped(item.Text, style{}, inner(width)))
}

// promptRows is how many lines of a prompt are shown at its beginning and its end each.
const promptRows = 8

func (d *Drawer) you(item conversation.Item, width int, unfolded bool) []line {
	look := d.palette[Strong]
	var lines []line
	if strings.TrimSpace(item.Text) != "" {
		lines = d.fold(d.wrapped(item.Text, look, inner(width)), promptRows, promptRows, inner(width), unfolded)
	}
	for _, b := range item.Blocks {
		if b.Image != nil {
			lines = append(lines, d.images([]record.Image{*b.Image}, "", inner(width))...)
		}
	}
	if item.Via == "engine" {
		return d.block(d.text(Faint, "›"), lines)
	}
	return d.block(d.text(Accent, "›"), lines)
}

func (d *Drawer) reasoning(item conversation.Item, width int, unfolded bool) []line {
	if !unfolded {
		return []line{{d.text(Faint, "▸ Reasoning")}}
	}
	look := d.palette[Faint]
	look.italic = true
	return append([]line{{d.text(Faint, "▾ Reasoning")}}, d.block(span{}, d.wrapped(strings.TrimSpace(item.Text), look, inner(width)))...)
}

func (d *Drawer) notice(item conversation.Item, width int) []line {
	mark, role := "i", Faint
	switch item.Level {
	case "warning":
		mark, role = "!", Warn
	case "error":
		mark, role = "×", Bad
	}
	look := d.palette[role]
	return d.block(d.text(role, mark), d.wrapped(item.Text, look, inner(width)))
}

// rule returns a text in a line across the width.
func (d *Drawer) rule(item conversation.Item, width int) []line {
	text := oneLine(item.Text)
	if text == "" {
		return []line{{d.text(Faint, strings.Repeat("─", width))}}
	}
	if w := widthOf(text); w+6 <= width {
		return []line{{d.text(Faint, "── "), d.text(Faint, text), d.text(Faint, " "+strings.Repeat("─", width-w-4))}}
	}
	return append([]line{{d.text(Faint, strings.Repeat("─", width))}}, d.wrapped(text, d.palette[Faint], width)...)
}

// end returns how a turn ended that did not complete.
func (d *Drawer) end(item conversation.Item, width int) []line {
	var reason string
	if item.End == nil {
		return nil
	}
	if f := item.End.Failure; f != nil {
		if reason = f.Message; reason == "" {
			reason = f.Kind
		}
	}
	mark, role, text := "×", Bad, "Failed: "+reason
	switch item.End.Reason {
	case record.TurnCompleted:
		return nil
	case record.TurnInterrupted:
		mark, role, text = "■", Warn, "Interrupted"
		if name := item.End.Client.Name; name != "" && name != d.options.Name {
			text += " by " + name
		}
	case record.TurnBudget:
		mark, role, text = "■", Warn, reason
		if !strings.Contains(reason, "budget is used up") {
			text = strings.TrimSuffix("The budget is used up: "+reason, ": ")
		}
	case record.TurnStepLimit:
		mark, role, text = "■", Warn, withReason("Stopped: the limit of steps is reached", reason)
	case record.TurnMaxTokens:
		mark, role, text = "■", Warn, withReason("Stopped: the answer reached its limit of tokens", reason)
	case record.TurnRefused:
		mark, role, text = "■", Warn, withReason("Stopped: the provider refused the answer", reason)
	default:
		if reason == "" {
			text += item.End.Reason
		}
	}
	look := d.palette[role]
	look.bold = true
	return d.block(span{text: mark, style: look}, d.wrapped(text, look, inner(width)))
}

func withReason(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ": " + reason
}

func (d *Drawer) plan(item conversation.Item, width int) []line {
	done := 0
	for _, p := range item.Plan {
		if p.Status == "completed" {
			done++
		}
	}
	lines := []line{{d.text(Strong, "Plan"), d.text(Faint, fmt.Sprintf(" %d of %d", done, len(item.Plan)))}}
	for _, p := range item.Plan {
		box, look := d.text(Faint, "☐ "), style{}
		switch p.Status {
		case "completed":
			box, look = d.text(Good, "☑ "), d.palette[Faint]
		case "in_progress":
			box, look = d.text(Accent, "▶ "), d.palette[Strong]
		}
		lines = append(lines, indent(wrap(line{{text: oneLine(p.Text), style: look}}, max(1, width-2*gutter)), line{box}, line{{text: "  "}})...)
	}
	return d.block(d.text(Accent, "•"), lines)
}
