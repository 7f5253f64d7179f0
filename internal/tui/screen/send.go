package screen

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// A manner is what a prompt does while a turn runs.
type manner uint8

const (
	steering manner = iota // it becomes part of the turn
	queueing               // it waits for the end of the turn
)

// An outgoing is a prompt on its way.
type outgoing struct {
	id     string
	text   string
	manner manner
}

// send sends what the input is, or does it if it is a command.
func (m *Model) send(how manner) tea.Cmd {
	text := m.input.text()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if name, argument, ok := parseCommand(text); ok {
		return m.runCommand(name, argument)
	}
	m.menu, m.stopping = nil, false
	m.input.clear()
	m.remember(text)
	m.page.End()
	return m.prompt(outgoing{randomID(), text, how})
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
		n := link.NewSession{Workspace: m.o.Workspace, Settings: maps.Clone(m.chosen)}
		return request(m, func(ctx context.Context, h Host) (link.Opened, error) { return h.Create(ctx, n) }, created)
	}
	m.sending++
	session := m.session
	return request(m, func(ctx context.Context, h Host) (struct{}, error) { return struct{}{}, p.send(ctx, h, session) }, func(m *Model, _ struct{}, err error) tea.Cmd {
		m.sending--
		switch {
		case err != nil:
			m.refused(err, p)
		case session == m.session && !m.Running() && p.id != m.begun:
			m.accepted = p.id
		}
		return nil
	})
}

// send sends the prompt in the way that counts now.
func (p outgoing) send(ctx context.Context, h Host, session string) error {
	prompt := client.Prompt{ID: p.id, Text: p.text, IfBusy: "steer"}
	if p.manner == queueing {
		prompt.IfBusy = "queue"
	}
	return h.Prompt(ctx, session, prompt)
}

// created sends the prompts that have waited for the session.
func created(m *Model, opened link.Opened, err error) tea.Cmd {
	prompts := m.outbox
	m.creating, m.outbox = false, nil
	if err != nil {
		m.refused(err, prompts...)
		return nil
	}
	cmds := []tea.Cmd{m.show(opened)}
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
	which := link.FollowUps
	if len(st.FollowUps) == 0 {
		which = link.Steering
		if len(st.Steering) == 0 {
			return nil
		}
	}
	session := m.session
	return request(m, func(ctx context.Context, h Host) ([]record.Queued, error) { return h.ClearQueue(ctx, session, which) },
		func(m *Model, queued []record.Queued, err error) tea.Cmd {
			if err != nil || len(queued) == 0 || session != m.session {
				return nil // it was taken meanwhile
			}
			return m.tookBack(which, queued)
		})
}

// tookBack puts the last text of a queue that was emptied into the input, and the others back into the queue.
func (m *Model) tookBack(which string, queued []record.Queued) tea.Cmd {
	last := len(queued) - 1
	text := textOf(queued[last].Blocks)
	if !m.input.empty() {
		text += "\n" + m.input.text()
	}
	m.input.set(text)
	session := m.session
	return order(m, func(ctx context.Context, h Host) error {
		for _, q := range queued[:last] {
			again := h.FollowUp
			if which == link.Steering {
				again = h.Steer
			}
			if err := again(ctx, session, client.Prompt{Blocks: q.Blocks}); err != nil {
				return err
			}
		}
		return nil
	}, nil)
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
