package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/record"
)

// interval is the time between two frames while records arrive: half of what streaming costs is the renderer of Bubble Tea.
// It is less than the pace of the deltas, which need not wait a second time then. A key has a frame of its own at once.
const interval = 40 * time.Millisecond

// FPS is how often Bubble Tea looks for a new frame: as often as it can, since a key waits for that.
const FPS = 120

// frames collects records between two frames.
type frames struct {
	records []record.Record
	last    time.Time // when records were applied
	due     bool      // a frameDue comes
}

// frameDue is a message: the records that have arrived can be shown.
type frameDue struct{}

// receive collects records for the next frame.
func (m *Model) receive(msg Records) tea.Cmd {
	if msg.Session != m.session {
		return nil
	}
	m.frames.records = append(m.frames.records, msg.Records...)
	if m.frames.due {
		return nil
	}
	now := m.o.Now()
	if now.Sub(m.frames.last) >= interval {
		return m.apply()
	}
	m.frames.due = true
	return m.o.After(interval-now.Sub(m.frames.last), frameDue{})
}

func (m *Model) frameDue() tea.Cmd {
	m.frames.due = false
	return m.apply()
}

// apply shows the records that have arrived.
func (m *Model) apply() tea.Cmd {
	if len(m.frames.records) == 0 {
		return nil
	}
	m.dirty = true
	records := m.frames.records
	m.frames.records, m.frames.last = nil, m.o.Now()
	var cmds []tea.Cmd
	for _, rec := range records {
		m.talk.Apply(rec)
		switch rec.Kind {
		case record.KindTurnStarted:
			var started record.TurnStarted
			_ = rec.Decode(&started) // without a prompt it is that of another client
			m.begun, m.accepted = started.Prompt, ""
		case record.KindTurnEnded, record.KindBudgetWarned:
			cmds = append(cmds, m.loadBudget())
		}
	}
	if m.stopping && m.Running() {
		m.stopping = false
		cmds = append(cmds, m.interrupt())
	}
	return tea.Batch(append(cmds, m.findAsk(), m.watchTurn())...)
}
