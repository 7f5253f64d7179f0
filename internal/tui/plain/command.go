package plain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/text"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// commands are those of the console, with what they do.
var commands = []struct{ name, argument, what string }{
	{"/help", "", "shows this list"},
	{"/new", "", "begins a new session with the next prompt"},
	{"/sessions", "[ID]", "lists the sessions of this workspace, or opens one"},
	{"/model", "[MODEL]", "sets the model"},
	{"/mode", "[MODE]", "sets the permission mode"},
	{"/sandbox", "[SANDBOX]", "sets the sandbox"},
	{"/reasoning", "[LEVEL]", "sets the level of reasoning"},
	{"/compact", "[TEXT]", "replaces older history by a summary"},
	{"/fork", "[N]", "opens a copy of the session, with N as it was before prompt N"},
	{"/history", "", "lists the prompts of the session"},
	{"/rename", "NAME", "gives the session a name"},
	{"/export", "", "writes the session into a file"},
	{"/quit", "", "ends the console"},
}

// isCommand reports whether a line is a command and no prompt: a path is none.
func isCommand(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return strings.HasPrefix(word, "/") && len(word) > 1 && !strings.ContainsFunc(word[1:], func(r rune) bool { return r < 'a' || r > 'z' })
}

// command does what a command says.
func (c *console) command(line string) {
	name, argument, _ := strings.Cut(line, " ")
	argument = strings.TrimSpace(argument)
	switch name {
	case "/help":
		c.help()
	case "/new":
		c.newSession()
	case "/sessions":
		if argument != "" {
			c.open(argument)
			return
		}
		c.list()
	case "/model", "/mode", "/sandbox", "/reasoning":
		c.set(name, argument)
	case "/theme":
		c.out.fact("error", "Plain mode has no themes")
	case "/quit":
		c.quit = true
	default:
		if !slices.ContainsFunc(commands, func(known struct{ name, argument, what string }) bool { return known.name == name }) {
			c.out.fact("error", "There is no command "+name+"; there are "+strings.Join(names(), ", "))
			return
		}
		if c.session == "" {
			c.out.fact("error", "There is no session yet: send a prompt first")
			return
		}
		c.sessionCommand(name, argument)
	}
}

// names returns those of the commands.
func names() (all []string) {
	for _, known := range commands {
		all = append(all, known.name)
	}
	return all
}

// help lists the commands.
func (c *console) help() {
	all := "A line is a prompt, or a command:"
	for _, known := range commands {
		all += "\n" + strings.TrimSpace(known.name+" "+known.argument) + ": " + known.what
	}
	c.out.fact("notice", all)
}

// newSession leaves the session.
func (c *console) newSession() {
	if c.session != "" {
		left := c.session
		c.check(func(ctx context.Context) error { return c.host.Leave(ctx, left) })
	}
	c.stop()
	c.reset("")
	c.out.skip(nil)
	c.out.fact("notice", "The next prompt begins a new session")
}

// sessionCommand does what a command says about the session.
func (c *console) sessionCommand(name, argument string) {
	session := c.session
	switch name {
	case "/compact":
		c.check(func(ctx context.Context) error { return c.host.Compact(ctx, session, argument) })
	case "/rename":
		if argument == "" {
			c.out.fact("error", "/rename needs a name")
			return
		}
		c.check(func(ctx context.Context) error { return c.host.Rename(ctx, session, argument) })
	case "/export":
		c.do(func(context.Context) func() {
			path, err := c.o.Export(session)
			return func() {
				if err != nil {
					c.report(err)
					return
				}
				c.out.fact("notice", "Exported to "+path)
			}
		})
	case "/history":
		c.history(session)
	case "/fork":
		c.fork(session, argument)
	}
}

// list lists the sessions of the workspace.
func (c *console) list() {
	const limit = 50
	c.do(func(ctx context.Context) func() {
		page, _, err := c.host.List(ctx, client.Query{Workspace: c.o.Workspace, Limit: limit})
		return func() {
			if err != nil {
				c.report(err)
				return
			}
			all := "Sessions of the workspace, the last used first; /sessions ID opens one:"
			for _, s := range page {
				title := s.Name
				if title == "" {
					title = s.Title
				}
				all += "\n" + s.ID + " " + text.OneLine(title) + " (" + statusWord(s.Status) + ")"
			}
			c.out.fact("notice", all)
		}
	})
}

// statusWord returns a status as the consoles name it.
func statusWord(status string) string {
	if status == record.StatusWaiting {
		return "waiting for you"
	}
	return status
}

// history lists the prompts of a session.
func (c *console) history(session string) {
	c.do(func(ctx context.Context) func() {
		prompts, err := c.prompts(ctx, session)
		return func() {
			c.report(err)
			all := "Prompts of the session; /fork N opens a copy of it as it was before prompt N:"
			for n, rec := range prompts {
				var m record.UserMessage
				if rec.Decode(&m) == nil {
					all += fmt.Sprintf("\n%d %s", n+1, text.ClipRunes(text.OneLine(promptText(m)), 100, "…"))
				}
			}
			c.out.fact("notice", all)
		}
	})
}

// promptText returns the text of a prompt.
func promptText(m record.UserMessage) (all string) {
	for _, b := range m.Blocks {
		all += b.Text + " "
	}
	return all
}

// fork opens a copy of a session, or of what it was before a prompt.
func (c *console) fork(session, argument string) {
	n, err := strconv.Atoi(argument)
	if argument != "" && (err != nil || n < 1) {
		c.out.fact("error", "/fork needs the number of a prompt; /history lists them")
		return
	}
	c.do(func(ctx context.Context) func() {
		var before uint64
		if n > 0 {
			prompts, err := c.prompts(ctx, session)
			if err == nil && n > len(prompts) {
				err = fmt.Errorf("there is no prompt %d; there are %d", n, len(prompts))
			}
			if err != nil {
				return func() { c.report(err) }
			}
			before = prompts[n-1].Seq
		}
		opened, err := c.host.Fork(ctx, session, before)
		return func() {
			if err != nil {
				c.report(err)
				return
			}
			c.begin(opened, nil)
			c.out.fact("notice", "Forked from "+session)
		}
	})
}

// set changes a setting, of the session or of the next one. Without a value it names those that are possible.
func (c *console) set(name, value string) {
	session, model := c.session, c.model()
	c.do(func(ctx context.Context) func() {
		possible, err := c.possible(ctx, name, model)
		switch {
		case err != nil:
			return func() { c.report(err) }
		case value == "" || name != "/model" && !slices.Contains(possible, value):
			tag := "error"
			text := "There is no " + name[1:] + " " + value
			if value == "" {
				tag, text = "notice", name[1:]
			}
			if len(possible) == 0 {
				return func() { c.out.fact(tag, text+"; the model has none") }
			}
			return func() { c.out.fact(tag, text+"; possible are "+strings.Join(possible, ", ")) }
		}
		patch := patchOf(name, value)
		if session == "" {
			return func() { c.setNext(name, value, patch) }
		}
		err = c.host.Change(ctx, session, patch, 0)
		return func() { c.report(err) }
	})
}

// setNext changes a setting of sessions that are made later.
func (c *console) setNext(name, value string, patch map[string]any) {
	settings := map[string]any{}
	for _, some := range []map[string]any{c.o.Settings, patch} {
		for member, v := range some {
			settings[member] = v
		}
	}
	c.o.Settings = settings
	c.out.fact("notice", name[1:]+": "+value+" (next turn)")
}

// patchOf returns the change of a setting.
func patchOf(name, value string) map[string]any {
	switch name {
	case "/sandbox":
		return map[string]any{"sandbox": map[string]any{"kind": value}}
	case "/reasoning":
		return map[string]any{"thinking": value}
	}
	return map[string]any{name[1:]: value}
}

// model returns the name of the model that the next turn has; "": the default.
func (c *console) model() string {
	if c.session != "" {
		return c.items.State().Settings.Model
	}
	m, _ := c.o.Settings["model"].(string)
	return m
}

// possible returns the values of a setting, with a model where they depend on that. Of models they are those that are listed: the
// host may accept others.
func (c *console) possible(ctx context.Context, name, model string) ([]string, error) {
	switch name {
	case "/mode":
		return link.Modes, nil
	case "/sandbox":
		return link.Sandboxes, nil
	}
	models, err := c.host.Models(ctx, name == "/model") // those that servers list, too
	if err != nil {
		return nil, err
	}
	model = cmp.Or(model, models.Default)
	var names []string
	levels, known := link.Levels, false
	for _, m := range models.Models {
		names = append(names, m.Name)
		if m.Name == model {
			levels, known = m.Thinking, true
		}
	}
	switch {
	case name != "/model":
		return levels, nil
	case !known && model != "":
		names = append([]string{model}, names...)
	}
	return names, nil
}
