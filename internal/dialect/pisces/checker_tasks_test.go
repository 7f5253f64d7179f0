package pisces

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/event"
)

// A seenSubagent is a subagent of the client's session whose start was sent.
type seenSubagent struct {
	agent    string
	isolated bool
	ended    *SubagentEnd
	open     *message.VerificationAttempt // that runs
	command  string                       // of it, that runs; "": none does
	attempts []message.VerificationAttempt
}

// taskTypes returns the lines about budgets, rules, todos and subagents.
func (c *checker) taskTypes() map[string]func(jsontext.Value) {
	return map[string]func(jsontext.Value){
		"budget_warning":  func(raw jsontext.Value) { e := parse[BudgetWarning](c, raw); c.warned(e.Scope, e.Snapshot) },
		"budget_exceeded": func(raw jsontext.Value) { e := parse[BudgetExceeded](c, raw); c.exceeded(e.Scope, e.Snapshot) },
		"ttsr_triggered":  func(raw jsontext.Value) { c.broken(parse[TTSRTriggered](c, raw)) },
		"todo_reminder":   func(raw jsontext.Value) { c.remind(parse[TodoReminder](c, raw)) },
		"todo_auto_clear": func(raw jsontext.Value) { parse[TodoAutoClear](c, raw); c.clearTodo() },

		"subagent_start":                      func(raw jsontext.Value) { c.startSubagent(parse[SubagentStart](c, raw)) },
		"subagent_end":                        func(raw jsontext.Value) { c.endSubagent(parse[SubagentEnd](c, raw)) },
		"subagent_verification_start":         func(raw jsontext.Value) { c.startVerification(parse[SubagentVerificationStart](c, raw)) },
		"subagent_verification_command_start": func(raw jsontext.Value) { c.startCheck(parse[SubagentVerificationCommandStart](c, raw)) },
		"subagent_verification_command_end":   func(raw jsontext.Value) { c.endCheck(parse[SubagentVerificationCommandEnd](c, raw)) },
		"subagent_verification_end":           func(raw jsontext.Value) { c.endVerification(parse[SubagentVerificationEnd](c, raw)) },
	}
}

// anytime is the lines that may stand between any two others.
var anytime = []string{"response", "budget_warning", "budget_exceeded", "todo_auto_clear", "prompt_result", "extension_ui_request"}

// uiRequest takes a dialog or something that is only shown.
func (c *checker) uiRequest(raw jsontext.Value) {
	var line struct {
		ID     string `json:"id"`
		Method string `json:"method"`
	}
	if err := json.Unmarshal(raw, &line); err != nil || line.ID == "" || line.Method == "" {
		c.fault("no request of the user interface: %v", err)
	}
}

// warned takes a limit that is near: of the session each is sent once, and none after it is used up.
func (c *checker) warned(scope string, s BudgetSnapshot) {
	switch {
	case s.Status != string(event.BudgetNear) || s.Reason == "":
		c.fault("a warning of no limit")
	case scope != string(event.BudgetOfSession):
		c.ofCall(scope)
	case c.spent || slices.Contains(c.limits, s.Reason):
		c.fault("it is used up, or was warned of before")
	default:
		c.limits = append(c.limits, s.Reason)
	}
}

func (c *checker) exceeded(scope string, s BudgetSnapshot) {
	switch {
	case s.Status != string(event.BudgetUsedUp) || s.Reason == "":
		c.fault("a limit that is not reached")
	case scope != string(event.BudgetOfSession):
		c.ofCall(scope)
	case c.spent:
		c.fault("it was used up before")
	default:
		c.spent = true
	}
}

// ofCall takes the budget of a call that has subagents work, or of one of them.
func (c *checker) ofCall(scope string) {
	if scope != string(event.BudgetOfTask) && scope != string(event.BudgetOfSubagent) || !c.delegating() {
		c.fault("no such scope, or no call that has subagents work")
	}
}

// delegating reports whether a call runs that has subagents work.
func (c *checker) delegating() bool {
	for _, call := range c.running {
		if call.start.ToolName == "task" {
			return true
		}
	}
	return false
}

// broken takes rules that an answer breaks: it ends as aborted next, and its run with it.
func (c *checker) broken(e TTSRTriggered) {
	t := c.turn()
	if len(e.Rules) == 0 || t.blocks == nil || c.cut {
		c.fault("no rule, no answer on its way, or it was cut before")
	}
	c.cut = true
}

func (c *checker) remind(e TodoReminder) {
	open := slices.ContainsFunc(e.Todos, func(t message.Todo) bool { return t.Status == "pending" || t.Status == "in_progress" })
	closed := slices.ContainsFunc(e.Todos, func(t message.Todo) bool { return t.Status == "completed" || t.Status == "abandoned" })
	switch {
	case c.before != "agent_end" || c.failed != "":
		c.fault("not right after a run that ended well")
	case !open || closed:
		c.fault("of nothing that is open, or of more")
	case e.Attempt != c.reminded+1 || e.Attempt > e.MaxAttempts:
		c.fault("reminder %d is due", c.reminded+1)
	}
	c.reminded = e.Attempt
	c.goesOn = true
}

// clearTodo takes a finished todo away, if one is known of.
func (c *checker) clearTodo() {
	if c.done == 0 {
		c.fault("there is no todo that is over")
	}
	c.done = max(-1, c.done-1)
}

// keptTodos counts the todos that are over, in the result of a call.
func (c *checker) keptTodos(e ToolExecutionEnd) {
	var d struct {
		Phases []struct {
			Tasks []message.Todo `json:"tasks"`
		} `json:"phases"`
	}
	if e.ToolName != "todo_write" || e.IsError || json.Unmarshal(e.Result.Details, &d) != nil {
		return
	}
	c.done = 0
	for _, p := range d.Phases {
		for _, t := range p.Tasks {
			if t.Status == "completed" || t.Status == "abandoned" {
				c.done++
			}
		}
	}
}

// subagent returns one that works; verifying says that its work is being verified.
func (c *checker) subagent(id string, verifying bool, attempt int) *seenSubagent {
	s := c.subagents[id]
	switch {
	case s == nil || s.ended != nil || !c.delegating():
		c.fault("no subagent %s works", id)
	case (s.open != nil) != verifying:
		c.fault("its work is being verified, or is not")
	case verifying && s.open.Attempt != attempt:
		c.fault("attempt %d runs", s.open.Attempt)
	default:
		return s
	}
	return &seenSubagent{open: &message.VerificationAttempt{}}
}

func (c *checker) startSubagent(e SubagentStart) {
	number, name, _ := strings.Cut(e.ID, "-")
	switch {
	case !c.delegating():
		c.fault("no call has subagents work")
	case c.subagents[e.ID] != nil:
		c.fault("its start was sent before")
	case strings.Trim(number, "0123456789") != "" || number == "" || name == "" || e.Agent == "":
		c.fault("no id of a task, or no agent")
	}
	c.subagents[e.ID] = &seenSubagent{agent: e.Agent, isolated: e.Isolated}
}

func (c *checker) startVerification(e SubagentVerificationStart) {
	s := c.subagent(e.ID, false, 0)
	n := len(s.attempts)
	if e.Attempt != n+1 || e.Attempt > 2 || !s.isolated || n > 0 && s.attempts[n-1].Status == message.VerificationPassed {
		c.fault("attempt %d is due, or none", n+1)
	}
	s.open = &message.VerificationAttempt{Attempt: e.Attempt, CommandResults: []message.VerificationCommandResult{}}
}

func (c *checker) startCheck(e SubagentVerificationCommandStart) {
	s := c.subagent(e.ID, true, e.Attempt)
	if s.command != "" || e.CommandName == "" {
		c.fault("%s runs, or there is no name", s.command)
	}
	s.command = e.CommandName
}

func (c *checker) endCheck(e SubagentVerificationCommandEnd) {
	s := c.subagent(e.ID, true, e.Attempt)
	if s.command != e.CommandName || e.DurationMS < 0 {
		c.fault("%q runs", s.command)
	}
	s.command = ""
	s.open.CommandResults = append(s.open.CommandResults, message.VerificationCommandResult{
		Name: e.CommandName, ExitCode: e.ExitCode, DurationMS: e.DurationMS, ArtifactPath: e.ArtifactID,
	})
}

func (c *checker) endVerification(e SubagentVerificationEnd) {
	s := c.subagent(e.ID, true, e.Attempt)
	if s.command != "" || e.Status != message.VerificationPassed && e.Status != message.VerificationFailed && e.Status != message.VerificationBudgetExceeded {
		c.fault("%q runs, or no such status", s.command)
	}
	s.open.Status = e.Status
	s.attempts, s.open = append(s.attempts, *s.open), nil
}

// endSubagent sums its verification up.
func (c *checker) endSubagent(e SubagentEnd) {
	s := c.subagent(e.ID, false, 0)
	if s.agent != e.Agent {
		c.fault("it is %s", s.agent)
	}
	if problem := s.verified(e); problem != "" {
		c.fault("%s", problem)
	}
	s.ended = &e
}

// verified returns what is wrong with the end of a subagent and its verification.
func (s *seenSubagent) verified(e SubagentEnd) string {
	v := e.Verification
	if v == nil || !s.isolated {
		if len(s.attempts) > 0 || v != nil {
			return "verified without an event, or not isolated"
		}
		return ""
	}
	if len(v.Attempts) != len(s.attempts) || v.RetriesUsed > 1 || len(v.Attempts) > v.RetriesUsed+1 || !v.Requested {
		return fmt.Sprintf("%d attempts were seen", len(s.attempts))
	}
	for i, a := range v.Attempts {
		seen := s.attempts[i]
		same := a.Attempt == seen.Attempt && a.Status == seen.Status && a.StartedAt <= a.EndedAt &&
			slices.EqualFunc(a.CommandResults, seen.CommandResults, func(reported, seen message.VerificationCommandResult) bool {
				return reported.Name == seen.Name && reported.ExitCode == seen.ExitCode && reported.DurationMS == seen.DurationMS && reported.ArtifactPath == seen.ArtifactPath
			})
		counts := slices.ContainsFunc(a.CommandResults, func(r message.VerificationCommandResult) bool { return r.ExitCode != 0 && !r.Optional })
		if !same || counts && a.Status == message.VerificationPassed {
			return fmt.Sprintf("attempt %d was seen as %s", i+1, rawjson.Marshal(seen))
		}
	}
	last := message.VerificationSkipped
	if n := len(s.attempts); n > 0 {
		last = s.attempts[n-1].Status
	}
	if last == message.VerificationPassed && v.RetriesUsed > 0 {
		last = message.VerificationRetriedPassed
	}
	if v.Status != last || e.ExitCode == 0 && (last == message.VerificationSkipped || last == message.VerificationFailed) {
		return fmt.Sprintf("it is %s", last)
	}
	return ""
}

// delegated takes the end of a call that has subagents work: all are over, and in its result.
func (c *checker) delegated(e ToolExecutionEnd) {
	var d message.TaskDetails
	if json.Unmarshal(e.Result.Details, &d) != nil || c.delegating() {
		return // it never ran, or another one does
	}
	for id, s := range c.subagents {
		if s.ended == nil {
			c.fault("subagent %s has no end", id)
			s.ended = &SubagentEnd{}
			continue
		}
		i := slices.IndexFunc(d.Results, func(r message.TaskResult) bool { return r.ID == id })
		switch {
		case i < 0 && !c.reported[id]:
			c.fault("there is no result of %s", id)
		case i >= 0 && (d.Results[i].ExitCode != s.ended.ExitCode || !sameValue(d.Results[i].Verification, s.ended.Verification)):
			c.fault("the result of %s is another", id)
		}
		c.reported[id] = true
	}
}

// ranks orders how far a task is: it never goes back.
var ranks = map[string]int{"pending": 1, "running": 2, "completed": 3, "failed": 3, "aborted": 3}

// progressed takes how far the tasks of a call are.
func (c *checker) progressed(e ToolExecutionUpdate) {
	if e.ToolName != "task" {
		return
	}
	d, err := exactly[message.TaskDetails](e.PartialResult.Details)
	if err != nil || len(d.Progress) == 0 {
		c.fault("no progress of tasks: %v", err)
	}
	for i, p := range d.Progress {
		s := c.subagents[p.ID]
		working := s != nil && s.ended == nil
		switch {
		case p.Index != i || ranks[p.Status] == 0 || ranks[p.Status] < c.ranks[p.ID]:
			c.fault("task %s goes back, or is no task", p.ID)
		case p.Status == "running" && !working, p.Status == "pending" && working:
			c.fault("task %s is %s", p.ID, p.Status)
		}
		c.ranks[p.ID] = ranks[p.Status]
	}
}
