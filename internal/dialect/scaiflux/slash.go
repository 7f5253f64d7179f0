package scaiflux

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/spelling"
)

// A command is a row of the slash catalogue.
type command struct {
	name    string
	aliases []string
	args    string // for help
	summary string
	idle    bool // refused while a turn runs
	run     func(c *conn, args string) outcome
	// start is run of a command that takes its time: it begins the work and gives what
	// waits for its end, which happens beside the reader.
	start func(c *conn, args string) (wait func() outcome)
}

// outcome is what a command did; the zero values of most fields are what most commands need.
type outcome struct {
	text    string
	data    any // a struct, or nil for null
	changed *StateChanged
	clear   bool
	exit    bool
}

// problem is the data of a command that could not be done.
type problem struct {
	Error string `json:"error"`
}

func cannot(code, text string) outcome { return outcome{text: text, data: problem{code}} }

func badArgs(usage string) outcome { return cannot("bad_args", "usage: "+usage) }

// commands returns the catalogue, in the order that /help shows.
func commands() []command {
	return []command{
		{name: "help", summary: "list the commands", run: (*conn).help},
		{name: "status", summary: "session, model, mode and counts", run: (*conn).status},
		{name: "context", summary: "what fills the context window", run: (*conn).context},
		{name: "model", args: "[slug]", summary: "list the models, or switch", run: (*conn).model},
		{name: "mode", aliases: []string{"permissions"}, args: "[mode]", summary: "list the permission modes, or switch", run: (*conn).mode},
		{name: "gadgets", aliases: []string{"gadget"}, args: "[name on|off]", summary: "list the gadgets, or switch one", run: (*conn).gadgets},
		{name: "tools", summary: "the tools offered now, with their schemas", run: (*conn).tools},
		{name: "save", args: "model", summary: "write the model into " + configName, run: (*conn).save},
		{name: "clear", summary: "forget the conversation", idle: true, run: (*conn).clear},
		{name: "compact", args: "[guidance]", summary: "replace the older conversation by a summary", idle: true, start: (*conn).compact},
		{name: "cost", aliases: []string{"usage"}, summary: "tokens and cost so far", run: (*conn).cost},
		{name: "session", aliases: []string{"sessions"}, summary: "this session and the others of the workspace", run: (*conn).sessions},
		{name: "diff", summary: "git diff of the workspace", start: (*conn).diff},
		{name: "config", summary: "the effective configuration", run: (*conn).config},
		{name: "memory", summary: "the project instructions that are loaded", run: (*conn).memory},
		{name: "mcp", summary: "MCP servers", run: (*conn).mcp},
		{name: "agents", summary: "agents", run: (*conn).agents},
		{name: "plugin", summary: "plugins", run: (*conn).plugins},
		{name: "version", summary: "program and protocol version", run: (*conn).version},
		{name: "export", args: "[path]", summary: "write the conversation as Markdown", start: (*conn).export},
		{name: "resume", summary: "not in serve mode: one process, one session", run: (*conn).resume},
		{name: "exit", aliases: []string{"quit"}, summary: "end the process", run: (*conn).exit},
	}
}

func findCommand(name string) (command, bool) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name || slices.Contains(c.aliases, name) })
	if i < 0 {
		return command{}, false
	}
	return all[i], true
}

// A slashQueue keeps slash commands in request order while a long one runs: results carry
// no id, so they may not overtake each other.
type slashQueue struct {
	mu      lock.Mutex
	busy    bool
	waiting []Slash
	running *dialect.Group
}

// enter reports whether m may run now; else it waits after the long one.
func (q *slashQueue) enter(m Slash) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy {
		q.waiting = append(q.waiting, m)
	}
	return !q.busy
}

// hold makes what comes wait after a long command.
func (q *slashQueue) hold() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = true
}

// holds reports whether a long command runs.
func (q *slashQueue) holds() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.busy
}

// next returns the oldest waiting command; false: there is none and the queue is idle again.
func (q *slashQueue) next() (Slash, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.busy = false
		return Slash{}, false
	}
	m := q.waiting[0]
	q.waiting = q.waiting[1:]
	return m, true
}

// wait waits until no long command runs or waits.
func (q *slashQueue) wait() { q.running.Wait() }

// slash runs a command, or queues it after a long one; true: the process is to end.
func (c *conn) slash(m Slash) (last bool) {
	if !c.slashes.enter(m) {
		return false
	}
	wait, last := c.runSlash(&m)
	if wait != nil {
		c.slashes.hold()
		c.slashes.running.Go(func() { c.finishLong(m, wait) })
	}
	return last
}

// finishLong answers a long command and what queued up after it, in order.
func (c *conn) finishLong(m Slash, wait func() outcome) {
	for ok := true; ok; m, ok = c.slashes.next() {
		last := false
		if wait == nil {
			wait, last = c.runSlash(&m)
		}
		if wait != nil {
			c.answer(m, c.guarded(m, wait))
			wait = nil
		}
		if last {
			c.server.End(dialect.ExitOK)
			return
		}
	}
}

// runSlash runs and answers a command; a long one is only begun, and gives what waits for
// its end. The leading slash of its name goes.
func (c *conn) runSlash(m *Slash) (wait func() outcome, last bool) {
	m.Command = strings.TrimPrefix(m.Command, "/")
	args := strings.TrimSpace(m.Args)
	cmd, ok := findCommand(m.Command)
	switch {
	case m.Type == refusedSlash:
		c.answer(*m, cannot("forbidden", m.Args))
	case !ok:
		c.answer(*m, cannot("unknown_command", unknownCommand(m.Command)))
	case cmd.idle && c.session.State().Busy:
		c.answer(*m, cannot("turn_in_progress", "not possible while a turn is running"))
	case cmd.start != nil:
		o := c.guarded(*m, func() outcome { wait = cmd.start(c, args); return outcome{} })
		if wait == nil {
			c.answer(*m, o)
		}
		return wait, false
	default:
		o := c.guarded(*m, func() outcome { return cmd.run(c, args) })
		c.answer(*m, o)
		return nil, o.exit
	}
	return nil, false
}

// guarded runs a command so that a defect in it ends only the command.
func (c *conn) guarded(m Slash, run func() outcome) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			c.cfg.Log.Error("panic in slash command", "command", m.Command, "panic", p, "stack", string(debug.Stack()))
			c.reply(refuse("internal", fmt.Sprintf("/%s failed inside: %v", m.Command, p)))
			o = cannot("internal", "internal error")
		}
	}()
	return run()
}

// answer sends the result, and the change of state directly after it.
func (c *conn) answer(m Slash, o outcome) {
	messages := []any{SlashResult{
		Type: "slash_result", Command: m.Command, Text: o.text, Data: o.data, ClearSession: o.clear, Exit: o.exit,
	}}
	if o.changed != nil {
		o.changed.Type = "state_changed"
		c.noteChange(*o.changed)
		messages = append(messages, *o.changed)
	}
	c.reply(messages...)
}

// noteChange keeps the view in step with a change that a reply contains.
func (c *conn) noteChange(s StateChanged) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.ContextPct != nil {
		c.view.percent = *s.ContextPct
	}
}

func unknownCommand(name string) string {
	best, distance := "", 3
	for _, cmd := range commands() {
		for _, known := range append([]string{cmd.name}, cmd.aliases...) {
			if len(name) >= len(known)+distance {
				continue // so many deletions at least; and a name may be as long as a line
			}
			if d := spelling.Distance(name, known); d < distance {
				best, distance = known, d
			}
		}
	}
	if best == "" {
		return "unknown command /" + name + " (see /help)"
	}
	return fmt.Sprintf("unknown command /%s (did you mean /%s?)", name, best)
}
