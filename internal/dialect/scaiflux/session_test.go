package scaiflux

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A story draws the records of a session that the engine could have written: turns of
// steps, steps of calls that run in sequence, every call asked about unless it is not
// executable, and notices and changes of the session anywhere.
type story struct {
	t       *rapid.T
	records []event.Record
	seq     uint64
	turn    event.TurnID
	turns   int
	calls   int
	asked   int
	steps   int
}

func drawStory(t *rapid.T) []event.Record {
	s := &story{t: t}
	s.durable(event.SessionCreated{Version: event.Version, ID: "s", Workspace: "/w"})
	for range rapid.IntRange(0, 4).Draw(t, "turns") {
		s.addTurn()
		s.maybeAside()
	}
	return s.records
}

func (s *story) durable(e event.Event) {
	s.seq++
	s.records = append(s.records, event.Record{Seq: s.seq, Turn: s.turn, Event: e})
}

func (s *story) transient(e event.Event) {
	s.records = append(s.records, event.Record{Turn: s.turn, Event: e})
}

func (s *story) addTurn() {
	s.turns++
	s.turn, s.steps = event.TurnID(fmt.Sprintf("%012x", s.turns)), 0
	s.durable(event.TurnStarted{Prompt: "p"})
	s.durable(event.UserMessage{ID: "p", Via: event.ByPrompt, Blocks: []model.Block{model.TextBlock("x")}})
	reason := rapid.SampledFrom([]event.TurnReason{
		event.TurnCompleted, event.TurnRefused, event.TurnStepLimit, event.TurnBudget, event.TurnMaxTokens, event.TurnInterrupted, event.TurnFailed,
	}).Draw(s.t, "reason")
	rounds := rapid.IntRange(0, 3).Draw(s.t, "rounds")
	for range rounds {
		s.addStep(rapid.IntRange(1, 3).Draw(s.t, "calls"), false)
	}
	s.addStep(rapid.IntRange(0, 1).Draw(s.t, "last calls"), reason == event.TurnInterrupted)
	s.endTurn(reason, rounds)
}

func (s *story) endTurn(reason event.TurnReason, rounds int) {
	end := event.TurnEnded{
		Reason: reason, Steps: s.steps, Rounds: rounds, Mutations: []event.Mutation{},
		Usage:   model.Usage{Input: rapid.IntRange(0, 1e6).Draw(s.t, "in"), CacheRead: 7, Output: rapid.IntRange(0, 1e6).Draw(s.t, "out")},
		Context: rapid.IntRange(0, 300_000).Draw(s.t, "context"),
		Window:  rapid.SampledFrom([]int{0, 128_000, 256_000}).Draw(s.t, "window"),
	}
	for range rapid.IntRange(0, 2).Draw(s.t, "mutations") {
		end.Mutations = append(end.Mutations, event.Mutation{Tool: "edit_file", Path: drawText(s.t, "path")})
	}
	if reason == event.TurnFailed {
		end.Failure = &event.Failure{
			Kind:    rapid.SampledFrom([]string{"auth", "overloaded", "unreachable", "internal", "not_configured", "new_kind"}).Draw(s.t, "failure"),
			Message: "m" + drawText(s.t, "message"),
		}
	}
	s.durable(end)
	s.turn = ""
}

// addStep adds one model call and its tool calls; interrupted: the last call is withdrawn.
func (s *story) addStep(calls int, interrupted bool) {
	s.steps++
	s.durable(event.StepStarted{Step: s.steps, Model: "m"})
	s.maybeAside()
	for range rapid.IntRange(0, 3).Draw(s.t, "deltas") {
		s.transient(event.TextDelta{Message: "m", Text: "d" + drawText(s.t, "delta")})
	}
	s.durable(event.AssistantMessage{ID: "m", Model: "m"})
	for i := range calls {
		s.addCall(interrupted && i == calls-1)
	}
	s.durable(event.StepEnded{Step: s.steps})
}

func (s *story) addCall(interrupted bool) {
	s.calls++
	id := event.CallID(fmt.Sprintf("call_%d", s.calls))
	input := jsontext.Value(rapid.SampledFrom([]string{`{}`, `{"path":"ä"}`, `"not json {"`, `[1]`, `null`, `{"a":{"b":[null]}}`}).Draw(s.t, "input"))
	s.durable(event.ToolIntended{Call: id, Message: "m", Name: "write_file", Tool: "write", Input: input})
	if input.Kind() != '{' || rapid.Bool().Draw(s.t, "bad input") {
		s.durable(event.ToolEnded{Call: id, Outcome: event.Failed, Output: drawText(s.t, "why")})
		return
	}
	s.asked++
	ask := event.ApprovalID(fmt.Sprintf("a-%d", s.asked))
	s.durable(event.ApprovalAsked{ID: ask, Call: id, Mode: string(drawMode(s.t)), Request: drawRequest(s.t), Input: input})
	s.maybeAside()
	if interrupted {
		s.durable(event.ApprovalAnswered{ID: ask, By: event.ByInterrupt})
		s.durable(event.ToolEnded{Call: id, Outcome: event.Interrupted, Output: textInterrupted})
		return
	}
	if rapid.Bool().Draw(s.t, "denied") {
		s.durable(event.ApprovalAnswered{ID: ask, Reason: "no", By: event.ByClient})
		s.durable(event.ToolEnded{Call: id, Outcome: event.Denied, Output: "no"})
		return
	}
	s.durable(event.ApprovalAnswered{ID: ask, Allowed: true, By: event.ByClient})
	s.durable(event.ToolStarted{Call: id})
	outcome := rapid.SampledFrom([]event.Outcome{event.Succeeded, event.Failed, event.OutcomeUnknown}).Draw(s.t, "outcome")
	ran := rapid.Int64Range(0, int64(time.Hour)).Draw(s.t, "ran")
	s.durable(event.ToolEnded{Call: id, Outcome: outcome, Output: drawText(s.t, "output"), Ran: event.Duration(ran)})
}

// maybeAside is something that has no place of its own, in a turn or between turns.
func (s *story) maybeAside() {
	switch rapid.IntRange(0, 6).Draw(s.t, "aside") {
	case 0:
		s.durable(event.Notice{Level: event.Error, Code: engine.NoticeUnsaved, Text: "disk full"})
	case 1:
		s.durable(event.Notice{Level: event.Warning, Code: "compaction_failed", Text: "x"})
	case 2:
		s.durable(event.SessionChanged{Settings: event.Settings{Mode: "plan"}})
	case 3:
		s.durable(event.PlanUpdated{Items: []event.PlanItem{{Text: "x", Status: event.Pending}}})
	}
}

func drawMode(t *rapid.T) approval.Mode { return rapid.SampledFrom(approval.Modes).Draw(t, "mode") }

func drawRequest(t *rapid.T) approval.Request {
	r := approval.Request{
		Tool:  "write_file",
		Level: rapid.SampledFrom([]approval.Level{approval.Read, approval.Write, approval.Execute}).Draw(t, "level"),
	}
	if rapid.Bool().Draw(t, "has path") {
		r.Paths = []approval.Path{{Path: "/w/x", Shown: "x", Outside: rapid.Bool().Draw(t, "outside")}}
	}
	return r
}

// drawText has what JSON and Unicode make difficult; records hold valid UTF-8 only.
func drawText(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "plain", "\"\\\n\r\t\x00\x1f\x7f", "é 😀 \u2028\u2029", "<&>", "\uFEFF", "\uFFFD"}),
		rapid.String(),
	).Draw(t, label)
}
