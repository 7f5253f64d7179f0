package conversation

import (
	"fmt"
	"strconv"
	"strings"

	"parley.dev/parley/record"
)

// recordKey returns the key of an item that is one record.
func recordKey(rec record.Record) string { return "record " + strconv.FormatUint(rec.Seq, 10) }

// Apply adds a record that follows the others, or a transient one, and returns the keys of the items that are new or
// changed, in the order in which that happened, each once. An item that Find does not find is gone: text of an answer that
// is void. A record that was added before changes nothing.
//
// Whether transient records come or not, the items are the same once the durable ones have come, but for Version, the
// Conversation of subagents, and colours in the output of commands.
func (c *Conversation) Apply(rec record.Record) (changed []string) {
	c.changes = nil
	if rec.Seq != 0 {
		if rec.Seq <= c.state.Head && c.state.Head != 0 {
			return nil
		}
		c.enter(rec)
	}
	e, err := rec.Event()
	if err != nil {
		if rec.Seq != 0 {
			c.add(rec, Item{Key: recordKey(rec), Kind: Notice, Level: "warning", Text: fmt.Sprintf("Record %d (%s) cannot be read", rec.Seq, rec.Kind)})
		}
		return c.changes
	}
	older := c.mayBeOlder(rec, e)
	if (c.apply(rec, e) || older) && c.state.First > 1 && rec.Seq != 0 {
		c.border.records = append(c.border.records, rec)
	}
	return c.changes
}

// apply adds an event, and reports whether it is about an item that is not there.
func (c *Conversation) apply(rec record.Record, e record.Event) (unknown bool) {
	if rec.Seq == 0 {
		c.applyTransient(rec, e)
		return false
	}
	switch e := e.(type) {
	case record.TurnStarted:
		c.turnStarted(rec)
	case record.TurnEnded:
		c.turnEnded(rec, e)
	case record.StepStarted:
		c.lastAnswer, c.partial = "", nil
		c.state.Status = record.StatusThinking
	case record.StepEnded:
		c.stepEnded()
	case record.UserMessage:
		c.userMessage(rec, e)
	case record.AnswerGrew:
		c.growAnswer(rec, e)
	case record.AssistantMessage:
		c.completeAnswer(rec, e)
	case record.ToolIntended:
		c.intended(rec, e)
		c.state.Status = record.StatusWorking
	case record.ChangesProposed:
		return !c.proposed(e)
	case record.ToolStarted:
		return !c.started(e)
	case record.ToolEnded:
		return !c.ended(rec, e)
	case record.CommandStarted:
		c.commandStarted(rec, e)
	case record.CommandRan:
		return !c.commandRan(rec, e)
	case record.SubagentStarted:
		c.subagentStarted(rec, e)
	case record.SubagentEnded:
		return !c.subagentEnded(e)
	case record.PlanUpdated:
		c.planUpdated(rec, e)
	case record.ApprovalAsked:
		c.approvalAsked(rec, e)
	case record.ApprovalAnswered:
		return !c.approvalAnswered(e)
	case record.QuestionAsked:
		c.questionAsked(rec, e)
	case record.QuestionAnswered:
		return !c.questionAnswered(e)
	default:
		c.applySession(rec, e)
	}
	return false
}

// applySession adds an event that is not part of a turn.
func (c *Conversation) applySession(rec record.Record, e record.Event) {
	switch e := e.(type) {
	case record.SessionCreated:
		c.state.Workspace, c.state.Settings, c.border.settings = e.Workspace, e.Settings, true
		c.state.Status = record.StatusIdle
		if e.Parent != "" {
			c.rule(rec, "Forked from "+e.Parent)
		}
	case record.SessionChanged:
		c.settingsChanged(rec, e)
	case record.QueueChanged:
		c.state.Steering, c.state.FollowUps = e.Steering, e.FollowUps
	case record.Compacted:
		if c.state.Status == record.StatusCompacting {
			c.state.Status = record.StatusIdle
		}
		c.state.Context = e.TokensAfter
		if e.Agent {
			c.rule(rec, "Compacted: the agent of the back end has summarised its own context")
			return
		}
		c.rule(rec, fmt.Sprintf("Compacted: a summary replaces %d messages (%d → %d tokens)", e.Removed, e.TokensBefore, e.TokensAfter))
	case record.BackendOpened:
		c.notice(rec, "info", backendText(e))
	case record.Branched:
		c.rule(rec, fmt.Sprintf("Went back: %d messages are no longer read by the model", e.Removed))
	case record.FilesRestored:
		c.add(rec, Item{Key: recordKey(rec), Kind: Change, Changes: e.Changes, Client: e.Client})
	case record.BudgetWarned:
		c.state.Budget = e.Text
		c.notice(rec, "warning", e.Text)
	case record.BudgetExceeded:
		c.state.Budget = e.Text
		c.notice(rec, "error", e.Text)
	case record.RuleViolated:
		c.notice(rec, "info", "The answer breaks rules: "+strings.Join(e.Rules, ", "))
	case record.Reminded:
		c.notice(rec, "info", fmt.Sprintf("The model was reminded of open tasks (%d of %d)", e.Attempt, e.Max))
	case record.HookRan:
		if e.Decision != "allow" {
			c.notice(rec, "info", strings.TrimSuffix("Hook "+e.Hook+" decided: "+e.Decision+": "+e.Reason, ": "))
		}
	case record.Notice:
		c.notice(rec, e.Level, e.Text)
	}
}

// backendText returns a line about a session of an agent, such as "pi: session begun (pi 0.80.0)".
func backendText(e record.BackendOpened) string {
	what := "session begun"
	switch {
	case e.Forked > 0:
		what = "session copied"
	case e.Resumed:
		what = "session resumed"
	}
	text := e.Backend + ": " + what
	if program := strings.TrimSpace(e.Program + " " + e.Version); program != "" {
		text += " (" + program + ")"
	}
	if e.Told > 0 {
		text += fmt.Sprintf(", received %d messages as text", e.Told)
	}
	return text
}

func (c *Conversation) rule(rec record.Record, text string) {
	c.add(rec, Item{Key: recordKey(rec), Kind: Rule, Text: text})
}

func (c *Conversation) notice(rec record.Record, level, text string) {
	c.add(rec, Item{Key: recordKey(rec), Kind: Notice, Level: level, Text: text})
}

// applyTransient adds an event that is not stored.
func (c *Conversation) applyTransient(rec record.Record, e record.Event) {
	switch e := e.(type) {
	case record.TextDelta:
		c.delta(rec, e.Message, e.Block, Answer, e.Text)
	case record.ThinkingDelta:
		c.delta(rec, e.Message, e.Block, Reasoning, e.Text)
	case record.ToolInputDelta:
		c.inputDelta(rec, e)
	case record.ToolOutput:
		c.output(callKey(e.Call), e.Text)
	case record.CommandOutput:
		c.output("command "+e.Command, e.Text)
	case record.ToolProgress:
		c.progressed(e)
	case record.SubagentRecorded:
		c.subagentRecorded(e)
	case record.ContextEstimated:
		c.state.Context, c.state.Window = e.Tokens, e.Window
	case record.UsageTicked:
		c.state.Usage, c.state.Cost = sum(c.turns, e.Usage), c.cost+e.Cost
	case record.RetryStarted:
		c.dropAnswer()
		c.dropPending()
		c.state.Retry = &e
	case record.RetryEnded:
		c.state.Retry = nil
	case record.CompactionStarted:
		c.state.Status = record.StatusCompacting
	case record.StatusChanged:
		c.state.Status = e.Status
		if e.Status != record.StatusThinking {
			c.state.Retry = nil
		}
	}
}
