package screen

import (
	"context"
	"math"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/record"
)

// A historyList is the list History: one row for each prompt.
type historyList struct {
	list
	session string
	prompts []past
	restore *restoring // nil: the list is shown
}

// A past is a prompt of the history.
type past struct {
	seq  uint64
	text string
}

// historyPages is how many pages of prompts are read at most.
const historyPages = 50

// openHistory opens the list of the prompts of the session.
func (m *Model) openHistory() tea.Cmd {
	if m.session == "" {
		m.needSession()
		return nil
	}
	k := m.o.Keys
	l := &historyList{session: m.session, list: newList("History",
		m.keyHint("Enter", "go back before it"), m.keyHint(k.first(keyFork), "fork before it"), m.keyHint(k.first(keyRestore), "restore files"), m.keyHint("Esc", "close"))}
	m.panel = l
	return request(m, func(ctx context.Context, h Host) ([]record.Record, error) { return prompted(ctx, h, l.session) },
		func(m *Model, records []record.Record, err error) tea.Cmd {
			if err != nil {
				return m.panelFailed(err)
			}
			l.prompts = promptsOf(records)
			rows := make([]row, len(l.prompts))
			for i, p := range l.prompts {
				rows[i] = row{id: seqID(p.seq), text: p.text}
			}
			l.setRows(rows)
			l.at = max(0, len(l.shown)-1)
			return nil
		})
}

// prompted returns the records of the prompts of a session and of its branches, in order.
func prompted(ctx context.Context, h Host, session string) ([]record.Record, error) {
	var all []record.Record
	before := uint64(math.MaxInt64)
	for range historyPages {
		page, err := h.Before(ctx, session, before, 1000, record.KindUserMessage, record.KindBranched)
		if err != nil {
			return nil, err
		}
		all = append(append([]record.Record(nil), page.Records...), all...)
		if !page.More || len(page.Records) == 0 {
			break
		}
		before = page.Records[0].Seq
	}
	return all, nil
}

// promptsOf returns the prompts that are part of the history: not those that it has left.
func promptsOf(records []record.Record) []past {
	type node struct {
		past
		parent *node
	}
	type moment struct {
		seq  uint64
		last *node
	}
	var last *node
	moments := []moment{{0, nil}}
	for _, rec := range records {
		switch rec.Kind {
		case record.KindUserMessage:
			var msg record.UserMessage
			if rec.Decode(&msg) != nil || msg.Via != "prompt" && msg.Via != "follow_up" && msg.Via != "" {
				continue
			}
			last = &node{past{rec.Seq, textOf(msg.Blocks)}, last}
		case record.KindBranched:
			var b struct {
				Head uint64 `json:"head"`
			}
			if rec.Decode(&b) != nil {
				continue
			}
			for _, at := range moments {
				if at.seq <= b.Head {
					last = at.last
				}
			}
		}
		moments = append(moments, moment{rec.Seq, last})
	}
	var prompts []past
	for n := last; n != nil; n = n.parent {
		prompts = append([]past{n.past}, prompts...)
	}
	return prompts
}

// chosen returns the prompt of the selected row.
func (l *historyList) chosen() (past, bool) {
	r, ok := l.selected()
	if !ok {
		return past{}, false
	}
	for _, p := range l.prompts {
		if seqID(p.seq) == r.id {
			return p, true
		}
	}
	return past{}, false
}

func (l *historyList) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	if l.restore != nil {
		return l.pressRestore(m, msg)
	}
	l.message = ""
	p, ok := l.chosen()
	switch k := m.o.Keys; {
	case msg.Keystroke() == "enter":
		if ok {
			return l.goBack(m, p)
		}
	case k.is(msg, keyFork):
		if ok {
			return m.fork(l.session, p.seq)
		}
	case k.is(msg, keyRestore):
		if ok {
			return l.preview(m, p)
		}
	case k.is(msg, keyEmpty):
		l.filter.SetValue("")
		l.match()
	default:
		l.update(msg)
	}
	return nil
}

// goBack makes the history end before a prompt, whose text is in the input.
func (l *historyList) goBack(m *Model, p past) tea.Cmd {
	return request(m, func(ctx context.Context, h Host) (struct{}, error) {
		return struct{}{}, goBefore(ctx, h, l.session, p.seq)
	},
		func(m *Model, _ struct{}, err error) tea.Cmd {
			if err != nil {
				return m.panelFailed(err)
			}
			if m.panel == l {
				m.closePanel()
			}
			m.input.set(p.text)
			m.page.End()
			return nil
		})
}

// goBefore makes the history end before a record.
func goBefore(ctx context.Context, h Host, session string, before uint64) error {
	head, err := headBefore(ctx, h, session, before)
	if err != nil {
		return err
	}
	return h.Branch(ctx, session, head)
}

// headBefore returns where the history ended before a record: its last message, or where it was moved to; 0: it was empty.
func headBefore(ctx context.Context, h Host, session string, before uint64) (uint64, error) {
	kinds := []string{record.KindUserMessage, record.KindAssistantMessage, record.KindCompacted, record.KindCommandRan, record.KindBranched}
	for {
		page, err := h.Before(ctx, session, before, 10, kinds...)
		if err != nil {
			return 0, err
		}
		for _, rec := range slices.Backward(page.Records) {
			var data struct {
				Head uint64 `json:"head"`
				Void bool   `json:"void"`
			}
			switch err := rec.Decode(&data); {
			case err != nil:
				return 0, err
			case rec.Kind == record.KindBranched:
				return data.Head, nil
			case !data.Void: // a void answer is no part of the history
				return rec.Seq, nil
			}
		}
		if !page.More || len(page.Records) == 0 {
			return 0, nil
		}
		before = page.Records[0].Seq
	}
}

func (l *historyList) back(*Model) bool {
	if l.restore == nil {
		return false
	}
	l.restore = nil
	return true
}

func (l *historyList) paste(_ *Model, msg tea.PasteMsg) tea.Cmd {
	if l.restore == nil {
		l.update(msg)
	}
	return nil
}

func (l *historyList) draw(m *Model, width, height int) ([]string, *tea.Cursor) {
	if l.restore == nil {
		return l.list.draw(width, height, m.style)
	}
	return l.restore.draw(m, width, height), nil
}

// seqID returns the number of a record as the id of a row.
func seqID(seq uint64) string { return strconv.FormatUint(seq, 10) }
