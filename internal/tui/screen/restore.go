package screen

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/tui/link"
)

// restoring is the preview of a restore of files.
type restoring struct {
	before uint64
	files  []link.Restored
	top    int
}

// preview shows what restoring the files as they were before a prompt would do.
func (l *historyList) preview(m *Model, p past) tea.Cmd {
	return request(m, func(ctx context.Context, h Host) ([]link.Restored, error) {
		return h.Restore(ctx, l.session, p.seq, false)
	},
		func(m *Model, files []link.Restored, err error) tea.Cmd {
			if err != nil {
				return m.panelFailed(err)
			}
			if len(files) == 0 {
				l.warn("No file differs from what it was before this prompt")
				return nil
			}
			l.restore = &restoring{before: p.seq, files: files}
			return nil
		})
}

func (l *historyList) pressRestore(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	r := l.restore
	switch k := m.o.Keys; {
	case msg.Text == "y":
		return request(m, func(ctx context.Context, h Host) ([]link.Restored, error) {
			return h.Restore(ctx, l.session, r.before, true)
		},
			func(m *Model, _ []link.Restored, err error) tea.Cmd {
				l.restore = nil
				if err != nil {
					return m.panelFailed(err)
				}
				if m.panel == l {
					m.closePanel()
				}
				return nil
			})
	case k.is(msg, keyPageUp):
		r.top -= 10
	case k.is(msg, keyPageDown):
		r.top += 10
	case msg.Keystroke() == "up":
		r.top--
	case msg.Keystroke() == "down":
		r.top++
	}
	return nil
}

// draw returns the preview: the diff, and the keys.
func (r *restoring) draw(m *Model, width, height int) []string {
	var diff []string
	for _, f := range r.files {
		diff = append(diff, m.drawChange(f, width-2)...)
	}
	lines := []string{" " + m.style.accent(fit("Restore files", width-2)), ""}
	foot := flow([]string{m.keyHint("y", "Restore"), m.keyHint("Esc", "back")}, "  ", width-2)
	room := max(1, height-len(lines)-len(foot)-1)
	r.top = max(0, min(r.top, len(diff)-room))
	for _, line := range diff[r.top:min(len(diff), r.top+room)] {
		lines = append(lines, " "+line)
	}
	for len(lines)+len(foot) < height {
		lines = append(lines, "")
	}
	for _, line := range foot {
		lines = append(lines, " "+line)
	}
	return lines
}

// drawChange returns the change of a file that a restore would make, with its diff.
func (m *Model) drawChange(f link.Restored, width int) []string {
	head := m.style.strong(terminal.Line(f.Path)) + "  " + m.style.dim(f.Op)
	switch {
	case f.Missing:
		head += "  " + m.style.failure("its content is not stored")
	case f.Outside:
		head += "  " + m.style.failure("outside of the workspace")
	}
	lines := []string{fit(head, width)}
	for _, l := range strings.Split(strings.TrimSuffix(f.Diff, "\n"), "\n") {
		if l == "" || strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ") {
			continue
		}
		look := m.style.text
		switch l[0] {
		case '+':
			look = m.style.ok
		case '-':
			look = m.style.failure
		case '@':
			look = m.style.dim
		}
		for _, part := range wrapText(l, width) {
			lines = append(lines, look(part))
		}
	}
	if f.Cut > 0 {
		lines = append(lines, m.style.dim(plural(f.Cut, "more line", "more lines")))
	}
	return append(lines, "")
}
