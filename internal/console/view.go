package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/terminal"
	"parley.dev/parley/internal/text"
)

// Transient is the transient records that a View shows.
var Transient = []event.Kind{
	event.KindTextDelta, event.KindToolOutput, event.KindToolProgress, event.KindTasksProgressed,
	event.KindServerChanged, event.KindRetryStarted, event.KindCompactionStarted, event.KindStatusChanged,
}

// A View shows the records of a session: the answer of the model, and what tools do.
type View struct {
	Workspace string // the names of files in it are relative; "": they are shown as models send them

	screen *Screen
	calls  map[event.CallID]*call // those that have not ended
	quiet  bool                   // show only the status
}

// A call is a tool call that is shown.
type call struct {
	name     string
	partial  string // the last line of its output, not yet ended
	streamed bool   // its output was shown
}

// NewView returns a view on a screen.
func NewView(s *Screen) *View { return &View{screen: s, calls: map[event.CallID]*call{}} }

// NewQuietView returns a view that shows only the status.
func NewQuietView(s *Screen) *View {
	v := NewView(s)
	v.quiet = true
	return v
}

// Show shows a record. It returns an error of writing the answer.
func (v *View) Show(e event.Event) error {
	switch e := e.(type) {
	case event.ToolIntended:
		v.calls[e.Call] = &call{name: e.Name}
	case event.ToolEnded:
		defer delete(v.calls, e.Call)
		defer v.screen.Status("")
	default:
		v.showStatus(e)
	}
	if v.quiet {
		return nil
	}
	return v.showRecord(e)
}

func (v *View) showRecord(e event.Event) error {
	s := v.screen
	switch e := e.(type) {
	case event.TextDelta:
		return s.Answer(e.Text)
	case event.AssistantMessage, event.TurnEnded:
		return s.EndAnswer()
	case event.ToolIntended:
		if e.Name != planTool { // the plan itself follows
			v.Call(e.Name, e.Input)
		}
	case event.PlanUpdated:
		v.plan(e.Items)
	case event.ToolOutput:
		v.output(e.Call, e.Text)
	case event.ToolEnded:
		v.end(e)
	case event.Notice:
		s.label(levelStyle(e.Level), string(e.Level), e.Text)
	case event.BudgetWarned:
		s.Warn(e.Text)
	case event.BudgetExceeded:
		s.Warn(e.Text)
	}
	return nil
}

// showStatus shows the status.
func (v *View) showStatus(e event.Event) {
	s := v.screen
	switch e := e.(type) {
	case event.StatusChanged:
		switch e.Status {
		case event.Thinking:
			s.Status("waiting for the model")
		case event.Compacting:
			s.Status("compacting the history")
		case event.Idle, event.Waiting:
			s.Status("")
		}
	case event.CompactionStarted:
		s.Status("compacting the history")
	case event.ToolStarted:
		if c := v.calls[e.Call]; c != nil {
			s.Status("running " + c.name)
		}
	case event.ToolProgress:
		if c := v.calls[e.Call]; c != nil {
			s.Status(strings.TrimSpace("running " + c.name + " " + progress(e)))
		}
	case event.TasksProgressed:
		done := 0
		for _, t := range e.Tasks {
			if t.Status != event.TaskPending && t.Status != event.TaskRunning {
				done++
			}
		}
		s.Status(fmt.Sprintf("%d of %d tasks done", done, len(e.Tasks)))
	case event.ServerChanged:
		switch e.Status {
		case event.ServerStarting:
			s.Status("starting the tool server " + e.Server)
		case event.ServerFailed:
			if !e.Again {
				s.Warn("tool server " + e.Server + ": " + e.Error)
			}
		}
	case event.RetryStarted:
		s.Warn(fmt.Sprintf("%s; next try in %s (%d of %d)", e.Failure.Message, time.Duration(e.Delay).Round(time.Second), e.Attempt, e.Max))
		s.Status("waiting for the next try")
	}
}

func progress(e event.ToolProgress) string {
	switch {
	case e.Text != "":
		return e.Text
	case e.Total > 0:
		return fmt.Sprintf("%.0f %%", 100*e.Done/e.Total)
	}
	return ""
}

func levelStyle(l event.NoticeLevel) style {
	switch l {
	case event.Warning:
		return yellow
	case event.Error:
		return red
	}
	return plain
}

// Call shows that a tool is called, in one line.
func (v *View) Call(name string, input jsontext.Value) {
	columns, _ := v.screen.size()
	short := callText(input)
	if v.Workspace != "" && name != shellTool { // a command is shown as it is
		short = strings.TrimPrefix(short, v.Workspace+"/")
		short = strings.Replace(short, "path: "+v.Workspace+"/", "path: ", 1)
	}
	v.screen.label(cyan, name, text.FitRunes(text.OneLine(short), max(columns-len(name)-4, 20), " …"))
}

// planTool is the tool by which a model changes its plan, and shellTool the one that runs commands.
const (
	planTool  = "plan"
	shellTool = "shell"
)

// plan shows the plan, an item on each line.
func (v *View) plan(items []event.PlanItem) {
	marks := map[event.PlanStatus]string{event.Completed: "x", event.InProgress: ">"}
	lines, done := "", 0
	for _, item := range items {
		if item.Status == event.Completed {
			done++
		}
		lines += fmt.Sprintf("\n  [%s] %s", cmp.Or(marks[item.Status], " "), text.OneLine(item.Text))
	}
	v.screen.label(cyan, planTool, fmt.Sprintf("%d of %d done%s", done, len(items), lines))
}

// callText returns an input in short form. A single member is shown without its name.
func callText(input jsontext.Value) string {
	lines := fieldLines(input)
	text := strings.Join(lines, " ")
	if _, value, ok := strings.Cut(text, ": "); ok && !slices.ContainsFunc(lines[1:], isMember) {
		return value
	}
	return text
}

// isMember reports whether a line of fieldLines begins a member.
func isMember(line string) bool { return !strings.HasPrefix(line, " ") }

// End shows the outcome of a call that did not succeed.
func (v *View) End(outcome event.Outcome, output string) {
	columns, _ := v.screen.size()
	v.screen.label(red, string(outcome), text.FitRunes(text.OneLine(output), max(2*columns-len(outcome)-4, 20), " …"))
}

func (v *View) end(e event.ToolEnded) {
	c := v.calls[e.Call]
	if c != nil && c.partial != "" {
		v.outputLine(c.partial)
	}
	if e.Outcome != event.Succeeded {
		text := e.Output
		if c != nil && c.streamed && e.Shell != nil {
			text = shellEnd(e.Shell)
		}
		v.End(e.Outcome, text)
	}
	for _, change := range e.Changes {
		v.screen.label(green, string(change.Op), fmt.Sprintf("%s (+%d -%d)", terminal.Line(change.Path), change.Added, change.Removed))
	}
}

// shellEnd returns how a command ended, for one with shown output.
func shellEnd(r *event.ShellRun) string {
	switch {
	case r.Note != "":
		return strings.Trim(r.Note, "[]\n")
	case r.Signal != "":
		return "ended by " + r.Signal
	}
	return fmt.Sprintf("exit code %d", r.ExitCode)
}

// partialLimit is how much of an incomplete line of output is stored.
const partialLimit = 16 << 10

// output shows output of a call line by line. Of a line that is overwritten, it shows the last
// state, as a terminal does.
func (v *View) output(id event.CallID, text string) {
	c := v.calls[id]
	if c == nil {
		return
	}
	c.streamed = true
	text = c.partial + text
	for {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended && len(text) < partialLimit {
			c.partial = text
			return
		}
		v.outputLine(line)
		text = rest
	}
}

func (v *View) outputLine(line string) {
	line = strings.TrimRight(line, "\r")
	v.screen.Dim("  " + line[strings.LastIndexByte(line, '\r')+1:])
}
