package engine

import (
	"errors"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestDetachedClient: of two clients one leaves. What is pending stays so for the other, and the one
// that has left decides nothing any more, also not by leaving twice.
func TestDetachedClient(t *testing.T) {
	question := `{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}`
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), call(toolCall("b", "ask", question)), say("ok"))
	b.tools["write"], b.tools["ask"] = tool.Write(), tool.Ask()
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Approvals = ApproveUngranted{} })
	gone, stays := s.Attach(ClientInfo{}), s.Attach(ClientInfo{})
	defer stays.Detach()
	records := turnOf(t, s, "go", func(rec event.Record) {
		switch e := rec.Event.(type) {
		case event.ApprovalAsked:
			gone.Detach()
			gone.Detach()
			if err := gone.Answer(e.ID, Decision{Allow: true}); !errors.Is(err, ErrNoApproval) {
				t.Errorf("Answer of the client that has left: %v", err)
			}
			if err := gone.AnswerAll([]ApprovalAnswer{{e.ID, Decision{Allow: true}}}); !errors.Is(err, ErrNoApproval) {
				t.Errorf("AnswerAll of the client that has left: %v", err)
			}
			if err := stays.Answer(e.ID, Decision{Allow: true}); err != nil {
				t.Error(err)
			}
		case event.QuestionAsked:
			if err := gone.AnswerQuestion(e.ID, [][]string{{"B"}}); !errors.Is(err, ErrNoQuestion) {
				t.Errorf("AnswerQuestion of the client that has left: %v", err)
			}
			if err := stays.AnswerQuestion(e.ID, [][]string{{"A"}}); err != nil {
				t.Error(err)
			}
		}
	})
	ended(t, records)
	for _, done := range find[event.ToolEnded](records) {
		if done.Outcome != event.Succeeded {
			t.Errorf("%+v", done)
		}
	}
}
