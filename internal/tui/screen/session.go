package screen

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/internal/tui/page"
)

// pageSize is how many records of a session are read at once: when it is opened, and when it is scrolled to its beginning.
// When it is opened, the last endSize of them are read and shown first.
const (
	pageSize = 500
	endSize  = 100
)

// reset shows an empty conversation. The keys and versions of its items, and the ids of its approvals, may be those of the
// conversation before, so nothing that was stored for them is used again.
func (m *Model) reset(session string) {
	if session != m.session {
		m.rung, m.mine = map[string]bool{}, map[string]bool{}
		m.stopping = m.stopping && m.session == "" // the session of the first prompt was made
	}
	m.session, m.creating, m.accepted, m.earlier = session, false, "", false
	m.talk, m.page = &conversation.Conversation{}, page.Page{}
	m.frames, m.ask, m.menu, m.panel, m.budget, m.activity = frames{}, nil, nil, nil, "", activity{due: m.activity.due}
	m.drawer = m.newDrawer()
}

// leaveSession shows the start: the next prompt makes a session.
func (m *Model) leaveSession() tea.Cmd {
	old := m.session
	m.reset("")
	m.o.Host.Receive("", 0)
	cmds := []tea.Cmd{m.loadRecent()}
	if old != "" {
		cmds = append(cmds, order(m, func(ctx context.Context, h Host) error { return h.Leave(ctx, old) }, nil))
	}
	return tea.Batch(cmds...)
}

// An ending is the end of a session, and where it goes on.
type ending struct {
	opened link.Opened
	page   link.Page
}

// open opens a session at its end.
func (m *Model) open(session string) tea.Cmd {
	return request(m, func(ctx context.Context, h Host) (e ending, err error) {
		if e.opened, err = h.Open(ctx, session); err == nil {
			e.page, err = h.Before(ctx, session, e.opened.State.Head+1, endSize)
		}
		return e, err
	}, func(m *Model, e ending, err error) tea.Cmd {
		if err != nil {
			m.note(levelError, err.Error())
			return nil
		}
		return m.showEnd(e, m.session)
	})
}

// show shows a session that was opened.
func (m *Model) show(opened link.Opened) tea.Cmd {
	old := m.session
	m.reset(opened.ID)
	return m.loadEnd(opened, old)
}

// loadEnd reads the end of a session that is shown now, and shows it. The old one is left; "": there was none.
func (m *Model) loadEnd(opened link.Opened, old string) tea.Cmd {
	session := opened.ID
	return request(m, func(ctx context.Context, h Host) (e ending, err error) {
		e.opened = opened
		e.page, err = h.Before(ctx, session, opened.State.Head+1, endSize)
		return e, err
	}, func(m *Model, e ending, err error) tea.Cmd {
		switch {
		case m.session != session:
			return nil
		case err != nil:
			m.note(levelError, err.Error())
			return nil
		}
		return m.showEnd(e, old)
	})
}

// showEnd shows the end of a session, and follows it. The old one is left; "": there was none.
func (m *Model) showEnd(e ending, old string) tea.Cmd {
	m.reset(e.opened.ID)
	m.talk.Seed(e.opened.State)
	m.talk.Prepend(e.page.Records)
	m.claim()
	m.o.Host.Receive(m.session, e.opened.State.Head+1)
	cmds := []tea.Cmd{m.loadPage(pageSize-endSize, (*Model).addPrompts), m.loadBudget(), m.findAsk(), m.watchTurn()}
	if m.recent == nil {
		cmds = append(cmds, m.loadRecent())
	}
	if old != "" && old != m.session {
		cmds = append(cmds, order(m, func(ctx context.Context, h Host) error { return h.Leave(ctx, old) }, nil))
	}
	return tea.Batch(cmds...)
}

// addPrompts adds the prompts of the conversation that this workspace does not remember.
func (m *Model) addPrompts() {
	var texts []string
	for _, it := range m.talk.Items() {
		if it.Kind == conversation.You && it.Text != "" && !slices.Contains(m.input.prompts.texts, it.Text) {
			texts = append(texts, it.Text)
		}
	}
	m.input.prompts.add(texts...)
}

// loadEarlier reads the records before those that are there, when the beginning of them is in sight.
func (m *Model) loadEarlier() tea.Cmd { return m.loadPage(pageSize, func(*Model) {}) }

// loadPage reads the last records before those that are there, at most limit, unless some are on their way. done is called
// when they are items, and at once if there are none.
func (m *Model) loadPage(limit int, done func(*Model)) tea.Cmd {
	first := m.state().First
	if m.earlier || m.session == "" || first <= 1 {
		done(m)
		return nil
	}
	m.earlier = true
	session := m.session
	return request(m, func(ctx context.Context, h Host) (link.Page, error) { return h.Before(ctx, session, first, limit) }, func(m *Model, p link.Page, err error) tea.Cmd {
		if session != m.session {
			return nil
		}
		m.earlier = false
		defer done(m)
		if err != nil {
			m.note(levelError, err.Error())
			return nil
		}
		m.talk.Prepend(p.Records)
		m.claim()
		return nil
	})
}

// claim makes the answers of clients with this one's name its own: before it came it had another number, or another
// console of the same user answered.
func (m *Model) claim() {
	for _, it := range m.talk.Items() {
		switch a, q := it.Approval, it.Question; {
		case a != nil && a.Answer != nil && a.Answer.Client.Name == m.o.Client:
			m.mine[a.ID] = true
		case q != nil && q.Answer != nil && q.Answer.Client.Name == m.o.Client:
			m.mine[q.ID] = true
		}
	}
}

// interrupt interrupts the turn.
func (m *Model) interrupt() tea.Cmd {
	session := m.session
	return order(m, func(ctx context.Context, h Host) error {
		_, err := h.Interrupt(ctx, session)
		return err
	}, nil)
}

// fork makes a session with the history of another one before a record, and opens it; before 0: with all of it.
func (m *Model) fork(session string, before uint64) tea.Cmd {
	if session == "" {
		m.needSession()
		return nil
	}
	return request(m, func(ctx context.Context, h Host) (link.Opened, error) { return h.Fork(ctx, session, before) }, func(m *Model, opened link.Opened, err error) tea.Cmd {
		if err != nil {
			return m.panelFailed(err)
		}
		return m.show(opened)
	})
}

// workspace returns the folder of the session.
func (m *Model) workspace() string {
	if w := m.state().Workspace; w != "" {
		return w
	}
	return m.o.Workspace
}
