package agentair

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// This file contains the slash commands. Each ends with one CommandComplete.

// commandNames is the commands, with what /help says of them.
var commandNames = []struct{ name, about string }{
	{"help", "list the commands"},
	{"clear", "forget the conversation"},
	{"compact", "sum up the conversation"},
	{"status", "show the session's model, folder and tokens"},
	{"version", "show the version of this program"},
	{"sessions", "list the open sessions"},
	{"new-session", "open another session"},
	{"quit", "end the process"},
}

// slash does one command; false: it was the last.
func (c *conn) slash(ctx context.Context, s *session, name, _ string) (more bool) {
	switch name {
	case "clear":
		c.clear(s)
		return true
	case "compact":
		c.compact(s)
		return true
	case "quit":
		c.shutdown = true
		return false
	case "new-session":
		created, err := c.create(ctx, CreateSession{})
		if err != nil {
			refused := refusal(s.id, err)
			s.say(refused, s.failed(name, refused.Message))
			return true
		}
		s.say(s.display(fmt.Sprintf("Session %d is open", created.id)), s.done(name))
		return true
	}
	text, known := c.commandText(s, name)
	if !known {
		s.say(s.display(text), s.failed(name, text))
		return true
	}
	s.say(s.display(text), s.done(name))
	return true
}

// commandText returns what a command shows; of an unknown command, that it does not exist.
func (c *conn) commandText(s *session, name string) (text string, known bool) {
	switch name {
	case "help":
		var b strings.Builder
		for _, command := range commandNames {
			fmt.Fprintf(&b, "/%s: %s\n", command.name, command.about)
		}
		return strings.TrimSuffix(b.String(), "\n"), true
	case "version":
		return "agent v" + c.cfg.Version, true
	case "sessions":
		var ids []int64
		for id := range c.sessions {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		var lines []string
		for _, id := range ids {
			st := c.sessions[id].eng.State()
			lines = append(lines, fmt.Sprintf("%d: %s, %d turns", id, st.Settings.Model, st.Turns))
		}
		return strings.Join(lines, "\n"), true
	case "status":
		st := s.eng.State()
		return fmt.Sprintf("session %d\nmodel %s\nfolder %s\nturns %d\ntokens in %d, out %d\ncontext %d tokens",
			s.id, st.Settings.Model, st.Dir(), st.Turns, st.Usage.Context(), st.Usage.Output, st.Context), true
	}
	return "Unknown command: /" + name, false
}
