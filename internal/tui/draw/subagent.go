package draw

import (
	"fmt"
	"strconv"
	"strings"

	"parley.dev/parley/internal/tui/conversation"
)

// subagent returns the work of a subagent as a tree: what it did last, or all if it is unfolded.
func (d *Drawer) subagent(item conversation.Item, width int, unfolded bool) []string {
	w := item.Subagent
	if w == nil {
		return nil
	}
	state, role := " works", Accent
	switch {
	case w.Ended && w.ExitCode == 0:
		state, role = " done", Good
	case w.Ended:
		state, role = fmt.Sprintf(" failed (exit %d)", w.ExitCode), Bad
	}
	mark := d.text(role, "▸")
	if unfolded {
		mark.text = "▾"
	}
	head := line{d.text(Strong, "Subagent"), {text: strings.TrimRight(" "+oneLine(w.Agent), " ")}, d.text(role, state)}
	lines := encode(d.block(mark, []line{clip(head, inner(width))}), width)
	if width < 4*gutter {
		return lines
	}
	groups := d.branches(item, width, unfolded)
	for i, group := range groups {
		first, rest := "├ ", "│ "
		if i == len(groups)-1 {
			first, rest = "└ ", "  "
		}
		for n, l := range group {
			before := d.text(Faint, rest)
			if n == 0 {
				before = d.text(Faint, first)
			}
			lines = append(lines, strings.TrimRight("  "+line{before}.encode()+l, " "))
		}
	}
	return lines
}

// branches returns the lines of the branches of the tree.
func (d *Drawer) branches(item conversation.Item, width int, unfolded bool) [][]string {
	w := item.Subagent
	room := max(1, width-2*gutter)
	var groups [][]string
	add := func(l line) { groups = append(groups, encode(wrap(l, room), room)) }
	if task := oneLine(w.Task); task != "" {
		add(line{d.text(Faint, "task "), {text: task}})
	}
	if unfolded && w.Dir != "" {
		add(line{d.text(Faint, "in "), {text: oneLine(w.Dir)}})
	}
	if unfolded && w.Session != "" {
		add(line{d.text(Faint, "session "), {text: oneLine(w.Session)}})
	}
	if w.Conversation != nil {
		items := w.Conversation.Items()
		if !unfolded && len(items) > 1 {
			add(line{d.text(Faint, strconv.Itoa(len(items)-1)+" earlier items")})
			items = items[len(items)-1:]
		}
		for _, child := range items {
			child.Key = item.Key + "/" + child.Key
			lines := d.Lines(child, room, unfolded)
			if !unfolded && len(lines) > subagentRows {
				lines = lines[:subagentRows:subagentRows]
			}
			if len(lines) > 0 {
				groups = append(groups, lines)
			}
		}
	}
	if n := w.Usage.Input + w.Usage.CacheRead + w.Usage.CacheWrite + w.Usage.Output; n > 0 {
		used := line{d.text(Faint, strconv.Itoa(n)+" tokens")}
		if w.Cost > 0 {
			used = append(used, d.text(Faint, fmt.Sprintf(", $%.2f", w.Cost)))
		}
		add(used)
	}
	return groups
}

// subagentRows is how many lines of what a subagent did last are shown.
const subagentRows = 3
