package screen

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/record"
)

// What a prompt does while a turn runs, in the words of turn/prompt.
const (
	ifBusySteer = "steer"
	ifBusyQueue = "queue"
)

// An outgoing is a prompt on its way.
type outgoing struct {
	id     string
	text   string
	ifBusy string
}

// send sends what the input is, or does it if it is a command.
func (m *Model) send(ifBusy string) tea.Cmd {
	text := m.input.text()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if name, argument, ok := parseCommand(text); ok {
		return m.runCommand(name, argument)
	}
	m.menu = nil
	m.input.clear()
	m.remember(text)
	m.page.End()
	return m.prompt(outgoing{randomID(), text, ifBusy})
}

// remember stores a prompt as one of the workspace.
func (m *Model) remember(text string) {
	m.input.prompts.add(text)
	if m.o.SavePrompt != nil {
		m.o.SavePrompt(text)
	}
}

// prompt sends a prompt. The first one makes the session.
func (m *Model) prompt(p outgoing) tea.Cmd {
	switch {
	case m.creating:
		m.outbox = append(m.outbox, p)
		return nil
	case m.session == "":
		m.creating = true
		m.outbox = append(m.outbox, p)
		return request(m, "session/create", params{"workspace": m.o.Workspace, "settings": m.chosen}, created)
	}
	m.sending++
	blocks := []record.Block{{Kind: record.BlockText, Text: p.text}}
	return request(m, "turn/prompt", m.about(params{"id": p.id, "blocks": blocks, "if_busy": p.ifBusy}), func(m *Model, _ struct{}, err error) tea.Cmd {
		m.sending--
		if err != nil {
			m.refused(err, p)
		}
		return nil
	})
}

// created sends the prompts that have waited for the session.
func created(m *Model, result struct {
	Session string `json:"session"`
}, err error) tea.Cmd {
	prompts := m.outbox
	m.creating, m.outbox = false, nil
	if err != nil {
		m.refused(err, prompts...)
		return nil
	}
	cmds := []tea.Cmd{m.open(result.Session)}
	for _, p := range prompts {
		cmds = append(cmds, m.prompt(p))
	}
	return tea.Sequence(cmds...)
}

// refused puts prompts that the host has refused back into the input.
func (m *Model) refused(err error, prompts ...outgoing) {
	m.note(levelError, err.Error())
	var texts []string
	for _, p := range prompts {
		texts = append(texts, p.text)
	}
	if !m.input.empty() {
		texts = append(texts, m.input.text())
	}
	m.input.set(strings.Join(texts, "\n"))
}

// takeBack takes the last queued text back into the input: a follow-up, or else one that steers.
func (m *Model) takeBack() tea.Cmd {
	st := m.state()
	which := "follow_ups"
	if len(st.FollowUps) == 0 {
		which = "steering"
		if len(st.Steering) == 0 {
			return nil
		}
	}
	return request(m, "queue/clear", m.about(params{"which": which}), tookBack)
}

// tookBack puts the last text of a queue that was cleared into the input, and the others back into the queue.
func tookBack(m *Model, queue struct {
	Steering  []record.Queued `json:"steering"`
	FollowUps []record.Queued `json:"follow_ups"`
}, err error) tea.Cmd {
	if err != nil {
		return failed(m, struct{}{}, err)
	}
	queued, method := queue.FollowUps, "turn/follow_up"
	if len(queued) == 0 {
		queued, method = queue.Steering, "turn/steer"
	}
	if len(queued) == 0 {
		return nil
	}
	last := queued[len(queued)-1]
	text := textOf(last.Blocks)
	if !m.input.empty() {
		text += "\n" + m.input.text()
	}
	m.input.set(text)
	var cmds []tea.Cmd
	for _, q := range queued[:len(queued)-1] {
		cmds = append(cmds, request(m, method, m.about(params{"id": randomID(), "blocks": q.Blocks}), failed))
	}
	return tea.Sequence(cmds...)
}

// queueLines are the texts that wait, as lines above the input.
func (m *Model) queueLines(width, height int) []string {
	st := m.state()
	var lines []string
	add := func(label string, queued []record.Queued) {
		for _, q := range queued {
			text := clean(textOf(q.Blocks), max(1, width-len(label)-1))
			lines = append(lines, " "+m.style.accent(label)+m.style.dim(text))
		}
	}
	add("Steering: ", st.Steering)
	add("Queued: ", st.FollowUps)
	for i := range lines {
		lines[i] = fit(lines[i], width)
	}
	if n := len(lines) - height; n > 0 && height > 0 {
		lines = append(lines[n+1:], m.style.dim(fit(" and "+plural(n+1, "more", "more"), width)))
	}
	return lines[:min(len(lines), max(0, height))]
}

// textOf returns the text of blocks; an image is a word.
func textOf(blocks []record.Block) string {
	var parts []string
	for _, b := range blocks {
		switch b.Kind {
		case record.BlockText:
			parts = append(parts, b.Text)
		case record.BlockImage:
			parts = append(parts, "[image]")
		}
	}
	return strings.Join(parts, "\n")
}

// randomID returns an id for a prompt.
func randomID() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails, says its documentation
	return hex.EncodeToString(b)
}
