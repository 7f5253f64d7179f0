package screen

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
)

// regret is how long a deletion can be taken back. The session is deleted afterwards.
const regret = 10 * time.Second

// removals are the sessions that are about to be deleted.
type removals struct {
	due  map[string]int // the numbers of their deletions, by id
	n    int            // counts the deletions
	last string         // the session whose deletion can be taken back
}

// removalDue is a message: the deletion of a session of that number can no longer be taken back.
type removalDue struct {
	session string
	n       int
}

// remove hides a session, and deletes it later.
func (l *sessionList) remove(m *Model, r row) tea.Cmd {
	m.removals.n++
	m.removals.due[r.id] = m.removals.n
	m.removals.last = r.id
	l.show(m)
	l.message = fmt.Sprintf("Deleted; %s takes it back", m.o.Keys.first(keyUndo))
	return m.o.After(regret, removalDue{r.id, m.removals.n})
}

// undo takes the last deletion back.
func (l *sessionList) undo(m *Model) tea.Cmd {
	if _, ok := m.removals.due[m.removals.last]; !ok {
		return nil
	}
	delete(m.removals.due, m.removals.last)
	l.message = ""
	l.show(m)
	l.choose(m.removals.last)
	return nil
}

// removalDue deletes a session whose deletion was not taken back.
func (m *Model) removalDue(msg removalDue) tea.Cmd {
	if m.removals.due[msg.session] != msg.n {
		return nil
	}
	if l, ok := m.panel.(*sessionList); ok && m.removals.last == msg.session {
		l.message = ""
	}
	return m.removeNow(msg.session)
}

// removeNow deletes a session.
func (m *Model) removeNow(session string) tea.Cmd {
	cmd := request(m, func(ctx context.Context, h Host) (struct{}, error) { return struct{}{}, h.Remove(ctx, session) }, func(m *Model, _ struct{}, err error) tea.Cmd {
		delete(m.removals.due, session)
		if err != nil {
			return m.panelFailed(err)
		}
		if session == m.session {
			m.reset("")
			m.o.Host.Receive("", 0)
		}
		return m.loadRecent()
	})
	return cmd
}
