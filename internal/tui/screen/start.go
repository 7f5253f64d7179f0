package screen

import (
	"strings"

	"parley.dev/parley/internal/terminal"
)

// startLines is what an empty conversation shows: the folder, how to get to a model, and the last sessions.
func (m *Model) startLines(width, height int) []string {
	inner := max(1, width-4)
	lines := []string{m.style.accent("Parley") + "  " + m.style.dim(clean(m.o.Workspace, max(1, inner-8)))}
	if m.models.Demo() {
		lines = append(append(lines, ""), m.firstRun(inner)...)
	}
	if recent := m.recentLines(inner); len(recent) > 0 {
		if free := height - len(lines) - 1; len(recent) > free {
			recent = recent[:max(0, free)]
		}
		if len(recent) > 1 {
			lines = append(append(lines, ""), recent...)
		}
	}
	if height > len(lines)+1 {
		lines = append(append(lines, ""), flow([]string{m.keyHint("/", "commands"), m.keyHint("@", "files"), m.keyHint(m.o.Keys.first(keySessions), "sessions"), m.keyHint("?", "all keys")}, "  ", inner)...)
	}
	lines = lines[:min(len(lines), max(0, height))]
	for i := range lines {
		if lines[i] != "" {
			lines[i] = "  " + fit(lines[i], inner)
		}
	}
	return lines
}

// firstRun describes how to get from nothing to a model.
func (m *Model) firstRun(width int) []string {
	lines := wrapClean("No key is configured, so the offline demo answers. To use a real model:", width)
	for i := range lines {
		lines[i] = m.style.warning(lines[i])
	}
	step := func(text, code string) {
		for i, line := range wrapClean(text+code, width-2) {
			mark := "  "
			if i == 0 {
				mark = m.style.accent("• ")
			}
			if before, after, ok := strings.Cut(line, code); ok && code != "" {
				line = before + m.style.strong(code) + after
			}
			lines = append(lines, mark+line)
		}
	}
	step("set a key and start again: ", "export ANTHROPIC_API_KEY=…")
	if m.o.SignIn != "" {
		step("or sign in: ", m.o.SignIn)
	}
	switch local := m.models.local(); {
	case len(local) > 0:
		step("or use the server on this machine: ", "/model "+terminal.Line(local[0]))
	case m.models.discovered:
		step("or start a model server such as Ollama: none was found", "")
	default:
		step("or use a model server on this machine: looking for one …", "")
	}
	return lines
}

// recentLines are the last sessions of the workspace.
func (m *Model) recentLines(width int) []string {
	if len(m.recent) == 0 {
		return nil
	}
	lines := []string{m.style.dim("Last sessions")}
	for _, s := range m.recent {
		when := age(m.o.Now().Sub(s.Updated))
		lines = append(lines, spread("  "+clean(sessionTitle(s), max(1, width-len(when)-4)), m.style.dim(when), min(width, 76)))
	}
	return lines
}

// plural returns a number with the word for it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}
