package pisces

import (
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/skill"
)

// profile is the name of the protocol, as sessions have it that were opened for it.
const profile = "pisces"

// Flags is how the process was started.
type Flags struct {
	Cwd      string // absolute, symlinks resolved: where sessions work
	Home     string // the user's; "": none
	Agent    string // folder of the agent: its settings, prompts and commands
	Sessions string // folder of session files, one folder in it for each Cwd
	Project  string // name of the folder in Cwd with what belongs to the project
	Model    string // as the engine calls it; "": the default
	// DefaultModel is that of sessions where nothing else names one; "": the configured one.
	DefaultModel string
	Models       []string // patterns that cycle_model is limited to
	Thinking     message.ThinkingLevel
	Session      string // path or id of a session to open; "": none
	Continue     bool   // the last session of Cwd
	Fork         string // path or id of a session to copy
	SessionDir   string // where session files are, all in one; "": below Sessions
	NoSession    bool   // there is no session file
	Tools        []string
	NoTools      bool
	NoRules      bool // rules are not read
	ErrorIDs     bool // refusals have the id and the type of their command
	// SystemPrompt replaces the program's own; Append stands after it.
	SystemPrompt, Append string
	Sandbox              approval.Sandbox
	Confine              bool // Sandbox is that of the session which is opened, too: the command line has a flag for it
}

// Options returns the protocol's options: no user is asked anything, messages wait in two queues,
// calls that change nothing run together.
func Options(f Flags) engine.Options {
	o := engine.Defaults()
	o.Profile = profile
	o.SecondPrompt = engine.RefuseSecond
	o.Calls = engine.ParallelReads
	o.Approvals = engine.ApproveBySandbox{}
	o.QuestionsOnly = true
	o.Toolset = toolset(f)
	o.ResultLimits.Output = 50 << 10 // as pi and omp have it
	o.PersistentShell = true
	o.ContextFiles = []string{"AGENTS.md", "CLAUDE.md"}
	o.Texts = map[engine.Text]string{
		engine.TextSkipped:     message.SkippedText,
		engine.TextInterrupted: message.AbortedRunText,
		engine.TextUnknownTool: "Tool %s not found",
		engine.TextUnfit:       "Validation failed for tool \"%[1]s\":\n  - %[2]s\n\nReceived arguments:\n%[3]s",
	}
	return o
}

// options returns the options of the session of the connection.
func (c *conn) options() engine.Options {
	o := Options(c.cfg.Flags)
	o.Budget = c.budget
	o.Plugins = []engine.Plugin{c.rules}
	if c.cfg.Extensions != nil {
		o.Plugins = append(o.Plugins, c.ext)
	}
	o.Tasks = c.cfg.Settings.tasks()
	o.Instructions = strings.TrimSpace(skill.Catalogue(c.skills()) + "\n\n" + c.rules.catalogue() + "\n\n" + c.cfg.Flags.Append)
	o.Skills = engine.SkillsMentioned // all are in Instructions
	c.adjust(&o.LiveOptions)
	return o
}

// adjust sets the options that the settings change.
func (c *conn) adjust(m *engine.LiveOptions) {
	set := c.cfg.Settings
	m.Steers, m.FollowUps = 0, 0
	if set.queueMode(settingSteering) == QueueOne {
		m.Steers |= engine.SteerOneByOne
	}
	if set.interruptMode() != InterruptWait {
		m.Steers |= engine.SteerAfterCall
	}
	if set.queueMode(settingFollowUps) == QueueOne {
		m.FollowUps |= engine.FollowUpOneByOne
	}
	m.Retry = engine.Retries{Empty: true}
	if setting(set, settingRetry, true) {
		m.Retry = retryPolicy{
			max:   int(set.number("retry.maxRetries", 0, 3)),
			first: time.Duration(set.number("retry.baseDelayMs", 1, 2000)) * time.Millisecond,
		}
	}
	m.Compact = set.compaction()
	m.Todos = c.todos()
}

// todos returns what the settings say about plans.
func (c *conn) todos() *engine.Todos {
	set, o := c.cfg.Settings, new(engine.Todos)
	if setting(set, "todo.reminders", true) {
		o.Reminders = int(set.number("todo.reminders.max", 0, 3))
	}
	switch delay := set.number("tasks.todoClearDelay", -1, 60); {
	case delay == 0:
		o.ClearAfter = time.Nanosecond // at once
	case delay > 0:
		o.ClearAfter = time.Duration(delay * float64(time.Second))
	}
	return o
}

// allows reports whether --tools lets a tool be offered.
func (f Flags) allows(tool string) bool {
	return !f.NoTools && (len(f.Tools) == 0 || slices.Contains(f.Tools, tool))
}
