package screen

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textinput"

	"parley.dev/parley/client"
	"parley.dev/parley/record"
)

// A sessionList is the list Sessions.
type sessionList struct {
	list
	all      bool // of every workspace
	sessions []record.Listed
	naming   *textinput.Model // the new name of the selected session; nil: it is not renamed
}

// sessionLimit is how many sessions are listed at once; typing searches all.
const sessionLimit = 200

// recentLimit is how many sessions the start shows.
const recentLimit = 5

// openSessions opens the list of sessions.
func (m *Model) openSessions() tea.Cmd {
	l := &sessionList{list: newList("Sessions")}
	l.hint(m)
	m.panel = l
	return l.load(m)
}

// hint sets the keys below the list.
func (l *sessionList) hint(m *Model) {
	k, other := m.o.Keys, "all workspaces"
	if l.all {
		other = "this workspace"
	}
	l.hints = []string{
		m.keyHint("Enter", "open"), m.keyHint(k.first(keyNew), "new"), m.keyHint(k.first(keyFork), "fork"), m.keyHint(k.first(keyRename), "rename"),
		m.keyHint(k.first(keyArchive), "archive"), m.keyHint(k.first(keyDelete), "delete"), m.keyHint(k.first(keyFocus), other), m.keyHint(k.first(keyInterrupt), "close"),
	}
}

// load requests the sessions that the filter leaves.
func (l *sessionList) load(m *Model) tea.Cmd {
	q := client.Query{Limit: sessionLimit, Search: strings.TrimSpace(l.filter.Value())}
	if !l.all {
		q.Workspace = m.o.Workspace
	}
	search := l.filter.Value()
	return request(m, func(ctx context.Context, h Host) ([]record.Listed, error) {
		page, _, err := h.List(ctx, q)
		return page, err
	}, func(m *Model, page []record.Listed, err error) tea.Cmd {
		if m.panel != l || l.filter.Value() != search {
			return nil
		}
		if err != nil {
			l.message = err.Error()
			return nil
		}
		l.sessions = page
		l.show(m)
		return nil
	})
}

// show makes rows of the sessions. The host has filtered them.
func (l *sessionList) show(m *Model) {
	rows := make([]row, 0, len(l.sessions))
	for _, s := range l.sessions {
		if _, gone := m.removals.due[s.ID]; gone {
			continue
		}
		r := row{id: s.ID, text: sessionTitle(s), right: sessionFacts(s, m.o.Now(), s.ID == m.session), words: s.Title}
		if l.all {
			r.text += "  " + s.Workspace
		}
		rows = append(rows, r)
	}
	l.setRows(rows)
}

// sessionTitle returns what a session is called.
func sessionTitle(s record.Listed) string {
	switch {
	case s.Name != "":
		return s.Name
	case s.Title != "":
		return s.Title
	}
	return s.ID
}

// sessionFacts returns the status, the age and the cost of a session, and whether other clients have it.
func sessionFacts(s record.Listed, now time.Time, here bool) string {
	others := s.Clients
	if here {
		others--
	}
	var facts []string
	if s.Open && others > 0 {
		facts = append(facts, "open")
	}
	switch status := s.Status; {
	case s.Waiting > 0 || status == record.StatusWaiting:
		facts = append(facts, wordWaiting)
	case status == "":
		facts = append(facts, record.StatusIdle)
	default:
		facts = append(facts, status)
	}
	return strings.Join(append(facts, fmt.Sprintf("%3s", age(now.Sub(s.Updated))), fmt.Sprintf("%5s", cost(s.Cost))), "  ")
}

// age returns how long ago something was, in two or three characters.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case d < 365*24*time.Hour:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
	return fmt.Sprintf("%dy", int(d.Hours()/24/365))
}

func (l *sessionList) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	if l.naming != nil {
		return l.pressName(m, msg)
	}
	k := m.o.Keys
	l.message = ""
	selected, ok := l.selected()
	switch {
	case k.is(msg, keyNew):
		m.panel = nil
		return m.leaveSession()
	case k.is(msg, keyUndo):
		return l.undo(m)
	case k.is(msg, keyFocus):
		l.all = !l.all
		l.hint(m)
		return l.load(m)
	case k.is(msg, keyEmpty):
		l.filter.SetValue("")
		return l.load(m)
	case msg.Keystroke() == "enter" && ok:
		m.panel = nil
		if selected.id == m.session {
			return nil
		}
		return m.open(selected.id)
	case k.is(msg, keyFork) && ok:
		return m.fork(selected.id, 0)
	case k.is(msg, keyRename) && ok:
		name := newField("New name: ", selected.text)
		l.naming = &name
		return nil
	case k.is(msg, keyArchive) && ok:
		return l.order(m, func(ctx context.Context, h Host) error {
			return h.Change(ctx, selected.id, map[string]any{"archived": true}, 0)
		})
	case k.is(msg, keyDelete) && ok:
		return l.remove(m, selected)
	case k.is(msg, keyFork), k.is(msg, keyRename), k.is(msg, keyArchive), k.is(msg, keyDelete):
		return nil
	}
	before := l.filter.Value()
	l.update(msg)
	if l.filter.Value() != before {
		return l.load(m)
	}
	return nil
}

// order changes a session, and requests the list anew.
func (l *sessionList) order(m *Model, call func(ctx context.Context, h Host) error) tea.Cmd {
	return request(m, func(ctx context.Context, h Host) (struct{}, error) { return struct{}{}, call(ctx, h) }, func(m *Model, _ struct{}, err error) tea.Cmd {
		if err != nil {
			return m.panelFailed(err)
		}
		return l.load(m)
	})
}

// pressName handles a key of the field with the new name.
func (l *sessionList) pressName(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case msg.Keystroke() == "enter":
		name := strings.TrimSpace(l.naming.Value())
		l.naming = nil
		selected, ok := l.selected()
		if !ok || name == "" {
			return nil
		}
		return l.order(m, func(ctx context.Context, h Host) error {
			return h.Change(ctx, selected.id, map[string]any{"name": name}, 0)
		})
	case m.o.Keys.is(msg, keyEmpty):
		l.naming.SetValue("")
	default:
		*l.naming, _ = l.naming.Update(msg)
	}
	return nil
}

func (l *sessionList) back(*Model) bool {
	if l.naming == nil {
		return false
	}
	l.naming = nil
	return true
}

func (l *sessionList) paste(m *Model, msg tea.PasteMsg) tea.Cmd {
	if l.naming != nil {
		*l.naming, _ = l.naming.Update(msg)
		return nil
	}
	l.update(msg)
	return l.load(m)
}

func (l *sessionList) draw(m *Model, width, height int) ([]string, *tea.Cursor) {
	if l.naming == nil {
		return l.list.draw(width, height, m.style)
	}
	lines, _ := l.list.draw(width, max(1, height-1), m.style)
	field, cursor := drawField(*l.naming, width-2)
	if cursor != nil {
		cursor.X++
		cursor.Y = len(lines)
	}
	return append(lines, " "+field), cursor
}

// loadRecent requests the sessions that the start shows.
func (m *Model) loadRecent() tea.Cmd {
	q := client.Query{Workspace: m.o.Workspace, Limit: recentLimit}
	return request(m, func(ctx context.Context, h Host) ([]record.Listed, error) {
		page, _, err := h.List(ctx, q)
		return page, err
	}, func(m *Model, page []record.Listed, err error) tea.Cmd {
		if err != nil {
			return nil // the start shows none
		}
		if m.recent == nil && len(m.o.Prompts) == 0 {
			for _, s := range page {
				m.input.prompts.addFirst(s.Title)
			}
		}
		m.recent = page
		return nil
	})
}

// sessionChanged shows what a session is now in the list.
func (m *Model) sessionChanged(msg SessionChanged) {
	l, ok := m.panel.(*sessionList)
	if !ok {
		return
	}
	i := slices.IndexFunc(l.sessions, func(s record.Listed) bool { return s.ID == msg.ID })
	switch {
	case i >= 0 && msg.Removed:
		l.sessions = slices.Delete(l.sessions, i, i+1)
	case i >= 0:
		l.sessions[i] = msg.Listed
	default:
		return
	}
	l.show(m)
}
