package screen

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
)

// regret is how long a deletion can be taken back. The session is deleted afterwards.
const regret = 10 * time.Second

// removalDue is a message: the deletion of a session of that number can no longer be taken back.
type removalDue struct {
	session string
	n       int
}

// remove hides a session, and deletes it later.
func (l *sessionList) remove(m *Model, r row) tea.Cmd {
	m.deletions++
	m.removal[r.id] = m.deletions
	m.lastRemoved = r.id
	l.show(m)
	l.message = fmt.Sprintf("Deleted; %s takes it back", m.o.Keys.first(keyUndo))
	return m.o.After(regret, removalDue{r.id, m.deletions})
}

// undo takes the last deletion back.
func (l *sessionList) undo(m *Model) tea.Cmd {
	if _, ok := m.removal[m.lastRemoved]; !ok {
		return nil
	}
	delete(m.removal, m.lastRemoved)
	l.message = ""
	l.show(m)
	l.choose(m.lastRemoved)
	return nil
}

// removalDue deletes a session whose deletion was not taken back.
func (m *Model) removalDue(msg removalDue) tea.Cmd {
	if m.removal[msg.session] != msg.n {
		return nil
	}
	if l, ok := m.panel.(*sessionList); ok && m.lastRemoved == msg.session {
		l.message = ""
	}
	return m.removeNow(msg.session)
}

// removeNow deletes a session.
func (m *Model) removeNow(session string) tea.Cmd {
	cmd := request(m, func(ctx context.Context, h Host) (struct{}, error) { return struct{}{}, h.Remove(ctx, session) }, func(m *Model, _ struct{}, err error) tea.Cmd {
		delete(m.removal, session)
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
