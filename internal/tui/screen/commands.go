package screen

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/lazy"
)

// A command is what the user can write after a slash.
type command struct {
	name, argument, about string
	run                   func(m *Model, argument string) tea.Cmd
}

// commands are all commands, in the order of the help.
func commands() []command {
	return []command{
		{"help", "", "all keys and commands", func(m *Model, _ string) tea.Cmd { m.panel = newHelp(m); return nil }},
		{"new", "", "a new session", func(m *Model, _ string) tea.Cmd { return m.leaveSession() }},
		{"sessions", "", "the sessions", func(m *Model, _ string) tea.Cmd { return m.openSessions() }},
		{"model", "M", "change the model", change(setModel)},
		{"mode", "MODE", "change the permission mode", change(setMode)},
		{"sandbox", "S", "change the sandbox", change(setSandbox)},
		{"reasoning", "R", "change how much the model reasons", change(setReasoning)},
		{"compact", "", "replace older history by a summary", compact},
		{"fork", "", "a copy of this session", func(m *Model, _ string) tea.Cmd { return m.fork(m.session, 0) }},
		{"history", "", "go back, fork, restore files", func(m *Model, _ string) tea.Cmd { return m.openHistory() }},
		{"rename", "NAME", "rename this session", rename},
		{"export", "", "write this session to a file", export},
		{"theme", "T", "dark, light or contrast", setThemeCommand},
		{"quit", "", "leave", func(m *Model, _ string) tea.Cmd { return m.quit() }},
	}
}

// commandForm is what a line must be to be a command.
var commandForm = lazy.Regexp{Expr: `^/([a-z]+)(?:[ \t]+([^\n]*))?\s*$`}

// parseCommand returns the name and the argument of a command.
func parseCommand(text string) (name, argument string, ok bool) {
	match := commandForm.Get().FindStringSubmatch(text)
	if match == nil {
		return "", "", false
	}
	return match[1], strings.TrimSpace(match[2]), true
}

// runCommand runs a command. One that there is not stays in the input.
func (m *Model) runCommand(name, argument string) tea.Cmd {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		m.note(levelError, "There is no command /"+name+"; possible are "+commandNames(all))
		return nil
	}
	m.input.clear()
	m.menu = nil
	return all[i].run(m, argument)
}

func commandNames(all []command) string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = "/" + c.name
	}
	return strings.Join(names, ", ")
}

// matchingCommands are the completions of a word that begins with a slash.
func matchingCommands(word string) []choice {
	var choices []choice
	for _, c := range commands() {
		if strings.HasPrefix(c.name, word[1:]) {
			choices = append(choices, choice{"/" + c.name, c.about})
		}
	}
	return choices
}

// needSession reports whether there is a session, and says so if there is none.
func (m *Model) needSession() bool {
	if m.session == "" {
		m.note(levelInfo, "There is no session yet: the first prompt makes it")
	}
	return m.session != ""
}

// compact compacts the session.
func compact(m *Model, argument string) tea.Cmd {
	if !m.needSession() {
		return nil
	}
	session := m.session
	return order(m, func(ctx context.Context, h Host) error { return h.Compact(ctx, session, argument) }, nil)
}

// rename gives the session a name.
func rename(m *Model, name string) tea.Cmd {
	if !m.needSession() {
		return nil
	}
	if name == "" {
		m.note(levelError, "A name is missing: /rename NAME")
		return nil
	}
	return m.rename(m.session, name)
}

// rename gives a session a name.
func (m *Model) rename(session, name string) tea.Cmd {
	return order(m, func(ctx context.Context, h Host) error {
		return h.Change(ctx, session, map[string]any{"name": name}, 0)
	}, func(m *Model) tea.Cmd {
		m.note(levelInfo, "Name: "+name)
		return nil
	})
}

// export writes the session to a file.
func export(m *Model, _ string) tea.Cmd {
	if !m.needSession() {
		return nil
	}
	write, session := m.o.Export, m.session
	if write == nil {
		m.note(levelError, "This console cannot write files")
		return nil
	}
	return func() tea.Msg {
		path, err := write(session)
		return reply(func(m *Model) tea.Cmd {
			if err != nil {
				m.note(levelError, err.Error())
			} else {
				m.note(levelInfo, "Exported to "+path)
			}
			return nil
		})
	}
}

// setThemeCommand changes the theme, to the next one without an argument.
func setThemeCommand(m *Model, name string) tea.Cmd {
	if name == "" {
		name = Themes[(slices.Index(Themes, m.theme)+1)%len(Themes)]
	}
	if !slices.Contains(Themes, name) {
		m.note(levelError, "There is no theme "+name+"; possible are "+strings.Join(Themes, ", "))
		return nil
	}
	m.setTheme(name)
	m.note(levelInfo, "Theme: "+name)
	if save := m.o.SaveTheme; save != nil {
		return order(m, func(context.Context, Host) error { return save(name) }, nil)
	}
	return nil
}
