package screen

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textinput"
	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// A settingList is the list Settings: a row for each setting, and then one for each of its values.
type settingList struct {
	list
	rowsOf  []setting
	choices *choiceList // nil: the settings are shown
}

// A choiceList is the values of a setting.
type choiceList struct {
	list
	setting setting
	free    *textinput.Model // the value is written; nil: it is chosen from rows
	alone   bool             // a command has opened it, without the settings
}

// openSettings opens the list of settings.
func (m *Model) openSettings() tea.Cmd {
	l := &settingList{list: newList("Settings", m.keyHint("Enter", "change"), m.keyHint("Esc", "close"))}
	m.panel = l
	l.show(m, offers{})
	if m.session == "" {
		return nil
	}
	session := m.session
	read := func(ctx context.Context, h Host) (o offers, err error) {
		if o.tools, err = h.Tools(ctx, session); err == nil {
			o.agent, err = h.BackendOptions(ctx, session)
		}
		return o, err
	}
	return request(m, read, func(m *Model, o offers, err error) tea.Cmd {
		if err != nil {
			return m.panelFailed(err)
		}
		l.show(m, o)
		return nil
	})
}

// The offers of a session are what settings choose from that depends on it; zero: they are not known yet.
type offers struct {
	tools []link.Tool
	agent []record.BackendOption
}

// show makes the rows.
func (l *settingList) show(m *Model, o offers) {
	l.rowsOf = []setting{setModel, setReasoning, setMode, setSandbox, setTools(o.tools)}
	for _, option := range o.agent {
		l.rowsOf = append(l.rowsOf, setAgentOption(option))
	}
	l.rowsOf = append(l.rowsOf, m.providerOptions(o.agent)...)
	rows := make([]row, len(l.rowsOf))
	for i, s := range l.rowsOf {
		value := s.value(m)
		if value == "" {
			value = "default"
		}
		rows[i] = row{id: s.label, text: s.label, right: value}
	}
	l.setRows(rows)
}

// setTools is the row of the optional groups of tools.
func setTools(tools []link.Tool) setting {
	return setting{
		label: "Tools", from: nextCall,
		value: func(*Model) string {
			on := 0
			for _, t := range tools {
				if t.Enabled {
					on++
				}
			}
			return plural(on, "tool", "tools")
		},
		possible: func(*Model) []string {
			var groups []string
			for _, t := range tools {
				if t.Group != "" && !slices.Contains(groups, t.Group) {
					groups = append(groups, t.Group)
				}
			}
			slices.Sort(groups)
			return groups
		},
		marked: func(m *Model, group string) bool { return slices.Contains(m.state().Settings.ToolGroups, group) },
		change: func(m *Model, group string) map[string]any {
			groups := slices.Clone(m.state().Settings.ToolGroups)
			if i := slices.Index(groups, group); i >= 0 {
				groups = slices.Delete(groups, i, i+1)
			} else {
				groups = append(groups, group)
				slices.Sort(groups)
			}
			return map[string]any{"tool_groups": groups}
		},
	}
}

// setAgentOption is the row of an option of the agent of a back end.
func setAgentOption(o record.BackendOption) setting {
	return setting{
		label: cmp.Or(o.Name, o.Setting), from: nextTurn,
		value: func(m *Model) string {
			var chosen []string
			if json.Unmarshal(m.state().Settings.Options[o.Setting], &chosen) == nil && len(chosen) == 1 {
				return chosen[0]
			}
			return o.Value
		},
		possible: func(*Model) []string {
			ids := make([]string, len(o.Values))
			for i, v := range o.Values {
				ids[i] = v.ID
			}
			return ids
		},
		change: func(_ *Model, v string) map[string]any {
			return map[string]any{"options": map[string]any{o.Setting: []string{v}}}
		},
	}
}

// providerOptions are the rows of the options of the provider, and of others that are set and are not among those of an agent.
func (m *Model) providerOptions(agent []record.BackendOption) []setting {
	options := m.state().Settings.Options
	var rows []setting
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if slices.ContainsFunc(agent, func(o record.BackendOption) bool { return o.Setting == name }) {
			continue
		}
		rows = append(rows, setting{
			label: name, from: nextTurn,
			value: func(m *Model) string { return string(m.state().Settings.Options[name]) },
			change: func(_ *Model, v string) map[string]any {
				var value any = v
				var parsed any
				if json.Unmarshal([]byte(v), &parsed) == nil {
					value = parsed
				}
				return map[string]any{"options": map[string]any{name: value}}
			},
		})
	}
	return rows
}

// openChoices opens the values of a setting.
func (m *Model) openChoices(s setting) tea.Cmd {
	l := &settingList{list: newList("Settings", m.keyHint("Enter", "change"), m.keyHint("Esc", "close"))}
	l.show(m, offers{})
	m.panel = l
	cmd := l.open(m, s)
	l.choices.alone = true
	return cmd
}

// open opens the values of a setting.
func (l *settingList) open(m *Model, s setting) tea.Cmd {
	c := &choiceList{list: newList(s.label, m.keyHint("Enter", "choose"), m.keyHint("Esc", "back")), setting: s}
	l.choices = c
	if s.possible == nil {
		field := newField(s.label+": ", s.value(m))
		c.free = &field
		return nil
	}
	c.show(m)
	c.choose(s.value(m))
	if s.open && !m.models.discovered {
		return m.loadModels(true)
	}
	return nil
}

// renew shows the values that are open as they are now.
func (l *settingList) renew(m *Model) {
	if l.choices != nil && l.choices.setting.possible != nil {
		l.choices.show(m)
	}
}

// show shows the values.
func (c *choiceList) show(m *Model) {
	current := c.setting.value(m)
	var rows []row
	for _, v := range c.setting.possible(m) {
		r := row{id: v, text: v}
		if v == current || c.setting.marked != nil && c.setting.marked(m, v) {
			r.right = "✓"
		}
		rows = append(rows, r)
	}
	c.setRows(rows)
	if c.message = ""; len(rows) == 0 {
		c.message = "There is nothing to choose"
	}
}

func (l *settingList) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	if l.choices != nil {
		return l.pressChoice(m, msg)
	}
	l.message = ""
	switch {
	case msg.Keystroke() == "enter":
		if r, ok := l.selected(); ok {
			if i := slices.IndexFunc(l.rowsOf, func(s setting) bool { return s.label == r.id }); i >= 0 {
				return l.open(m, l.rowsOf[i])
			}
		}
	case m.o.Keys.is(msg, keyEmpty):
		l.filter.SetValue("")
		l.match()
	default:
		l.update(msg)
	}
	return nil
}

func (l *settingList) pressChoice(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	c := l.choices
	c.message = ""
	enter := msg.Keystroke() == "enter"
	switch {
	case enter && c.free != nil:
		m.panel = nil
		return m.change(c.setting, strings.TrimSpace(c.free.Value()))
	case enter:
		r, ok := c.selected()
		if !ok {
			return nil
		}
		m.closePanel()
		return m.change(c.setting, r.id)
	case c.free != nil && m.o.Keys.is(msg, keyEmpty):
		c.free.SetValue("")
	case c.free != nil:
		*c.free, _ = c.free.Update(msg)
	case m.o.Keys.is(msg, keyEmpty):
		c.filter.SetValue("")
		c.match()
	default:
		c.update(msg)
	}
	return nil
}

func (l *settingList) back(*Model) bool {
	if l.choices == nil || l.choices.alone {
		return false
	}
	l.choices = nil
	return true
}

func (l *settingList) paste(_ *Model, msg tea.PasteMsg) tea.Cmd {
	switch c := l.choices; {
	case c == nil:
		l.update(msg)
	case c.free != nil:
		*c.free, _ = c.free.Update(msg)
	default:
		c.update(msg)
	}
	return nil
}

func (l *settingList) draw(m *Model, width, height int) ([]string, *tea.Cursor) {
	c := l.choices
	if c == nil {
		return l.list.draw(width, height, m.style)
	}
	if c.free == nil {
		return c.list.draw(width, height, m.style)
	}
	line, cursor := drawField(*c.free, width-2)
	if cursor != nil {
		cursor.X++
	}
	lines := []string{" " + line}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines, cursor
}
