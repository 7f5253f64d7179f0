package screen

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/internal/tui/link"
)

// approvalChoices are the answers to an approval.
var approvalChoices = [][2]string{{"y", "Allow once"}, {"s", "Allow for session"}, {"w", "Allow in workspace"}, {"n", "Deny"}}

// shortChoices are approvalChoices for screens that have no space for them.
var shortChoices = [][2]string{{"y", "once"}, {"s", "session"}, {"w", "workspace"}, {"n", "deny"}}

// pressApproval handles a key of the approval.
func (m *Model) pressApproval(r *conversation.Request, msg tea.KeyPressMsg) tea.Cmd {
	a := m.ask
	a.message = ""
	switch a.step {
	case denying:
		switch {
		case msg.Keystroke() == "enter":
			return m.deny(r.ID, strings.TrimSpace(a.field.Value()))
		case m.o.Keys.is(msg, keyEmpty):
			a.field.SetValue("")
		default:
			a.field, _ = a.field.Update(msg)
		}
		return nil
	case granting:
		if msg.Text == "y" {
			return m.allow(r.ID, link.InWorkspace)
		}
		return nil
	}
	switch msg.Text {
	case "y":
		return m.allow(r.ID, link.Once)
	case "s":
		return m.allow(r.ID, link.ForSession)
	case "w":
		if len(link.Covered(r.Request)) == 0 {
			a.message = "No grant covers this call: it can be allowed once or for the session"
			return nil
		}
		a.step = granting
	case "n":
		a.step = denying
		a.field = newField("Reason: ", "")
	}
	return nil
}

// allow allows the call of an approval.
func (m *Model) allow(approval, remember string) tea.Cmd {
	session := m.session
	return m.answer(approval, func(ctx context.Context, h Host) error { return h.Allow(ctx, session, approval, remember) })
}

// deny denies the call of an approval.
func (m *Model) deny(approval, reason string) tea.Cmd {
	session := m.session
	return m.answer(approval, func(ctx context.Context, h Host) error { return h.Deny(ctx, session, approval, reason) })
}

// answer sends the answer to an ask. A record closes the ask.
func (m *Model) answer(id string, call func(ctx context.Context, h Host) error) tea.Cmd {
	a, mine := m.ask, m.mine
	a.sent, mine[id] = true, true
	return request(m, func(ctx context.Context, h Host) (struct{}, error) { return struct{}{}, call(ctx, h) }, func(m *Model, _ struct{}, err error) tea.Cmd {
		if err == nil {
			return nil
		}
		delete(mine, id)
		if m.ask == a && !client.IsKind(err, "answered") {
			a.sent, a.step, a.message = false, choosing, err.Error()
		}
		return nil
	})
}

// approvalParts returns what will run and why it is asked, and the choices; the cursor is that of a field in the choices.
func (m *Model) approvalParts(item conversation.Item, width int) (p askParts) {
	a := m.ask
	var head, why []string
	head, p.body, p.why, why = m.drawer.Request(item, width)
	p.head = []string{m.askTitle(strings.Join(head, " "), width)}
	switch a.step {
	case granting:
		p.foot = append(p.foot, indent(m.style.warning(fit("This grant is stored for the workspace:", width-2))))
		for _, t := range link.Covered(item.Approval.Request) {
			for _, l := range wrapExact(t.String(), width-4) {
				p.foot = append(p.foot, indent(indent(l)))
			}
		}
		p.foot = append(p.foot, m.keyLines(width, m.keyHint("y", "Make grant"), m.keyHint("Esc", "Back"))...)
	case denying:
		var line string
		line, p.cursor = drawField(a.field, width-2)
		p.foot = append([]string{indent(line)}, m.keyLines(width, m.keyHint("Enter", "Deny"), m.keyHint("Esc", "Back"))...)
	default:
		p.why = append(p.why, why...)
		p.foot = m.choiceLines(width)
	}
	return p
}

// choiceLines are the answers to an approval, in as few lines as they need.
func (m *Model) choiceLines(width int) []string {
	if m.ask.sent {
		return []string{indent(m.style.dim("…"))}
	}
	choices := approvalChoices
	if width < 34 || m.height < 8 {
		choices = shortChoices
	}
	parts := make([]string, len(choices))
	for i, c := range choices {
		if parts[i] = m.style.accent(c[0]) + " " + c[1]; !m.asking() {
			parts[i] = m.style.dim(c[0] + " " + c[1])
		}
	}
	return m.keyLines(width, parts...)
}

// keyLines are keys and what they do, below an ask.
func (m *Model) keyLines(width int, parts ...string) []string {
	lines := flow(parts, "   ", width-2)
	if two := flow(parts, "  ", width-2); len(two) < len(lines) {
		lines = two
	}
	for i := range lines {
		lines[i] = indent(lines[i])
	}
	return lines
}

// indent moves a line to where the text of items begins.
func indent(line string) string { return "  " + line }
