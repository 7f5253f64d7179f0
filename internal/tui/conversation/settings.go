package conversation

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"parley.dev/parley/record"
)

// When a change counts.
const (
	nextCall = "next model call"
	nextTurn = "next turn"
)

// settingsChanged shows a change of the settings.
func (c *Conversation) settingsChanged(rec record.Record, e record.SessionChanged) {
	old := &c.state.Settings
	if !c.border.settings {
		old = nil
		c.border.change = &rec
	}
	c.showChange(rec, old, e)
	c.state.Settings, c.border.settings = e.Settings, true
}

// showChange adds or replaces the item of a change of the settings. Old nil: the settings before are not known.
func (c *Conversation) showChange(rec record.Record, old *record.Settings, e record.SessionChanged) {
	key, text := recordKey(rec), "Settings changed"
	if old != nil {
		text = strings.Join(differences(*old, e.Settings), "\n")
	}
	switch {
	case text == "":
		c.remove(key)
	case c.list.find(key) != nil:
		c.update(key, func(i *Item) { i.Text = text })
	default:
		c.add(rec, Item{Key: key, Kind: Notice, Level: "info", Text: text, Client: e.Client})
	}
}

// differences returns a line for each setting that differs, with what it was and is, and from when on that counts.
func differences(old, now record.Settings) (lines []string) {
	add := func(name, from, to, when string) {
		if from == to {
			return
		}
		lines = append(lines, name+": "+cmp.Or(from, "default")+" → "+cmp.Or(to, "default")+" ("+when+")")
	}
	add("Model", old.Model, now.Model, nextTurn)
	add("Back end", old.Backend, now.Backend, nextTurn)
	add("Reasoning", old.Thinking, now.Thinking, nextTurn)
	add("Mode", old.Mode, now.Mode, nextCall)
	add("Sandbox", sandbox(old.Sandbox), sandbox(now.Sandbox), nextCall)
	add("Approvals", old.Asking, now.Asking, nextCall)
	add("Tools", strings.Join(old.ToolGroups, ", "), strings.Join(now.ToolGroups, ", "), nextCall)
	add("Folder", old.Dir, now.Dir, nextTurn)
	if old.Name != now.Name {
		lines = append(lines, "Name: "+cmp.Or(now.Name, "none"))
	}
	if old.SystemPrompt != now.SystemPrompt {
		lines = append(lines, "System prompt: changed ("+nextCall+")")
	}
	if old.Instructions != now.Instructions {
		lines = append(lines, "Instructions: changed ("+nextCall+")")
	}
	if old.Archived != now.Archived {
		lines = append(lines, map[bool]string{true: "Archived", false: "No longer archived"}[now.Archived])
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(old.Options)), maps.Keys(now.Options))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if from, to := old.Options[name], now.Options[name]; !bytes.Equal(from, to) {
			add(name, string(from), string(to), nextTurn)
		}
	}
	return lines
}

// sandbox returns a sandbox in words.
func sandbox(s record.Sandbox) string {
	words := append([]string{s.Kind}, s.Roots...)
	if s.Kind == "" {
		words = s.Roots
	}
	text := strings.Join(words, ", ")
	if s.Network {
		text += " with network"
	}
	return strings.TrimSpace(text)
}
