package agentair

import (
	"slices"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// TestRequests: what calls of one message need is requested together, and that of calls of other messages alone, though those have not
// begun; questions that no call asks have their own id.
func TestRequests(t *testing.T) {
	intended := func(call, message string) event.Event {
		return event.ToolIntended{Call: event.CallID(call), Message: event.MessageID(message), Name: "bash"}
	}
	request := func(id, call string) event.Event {
		return event.ApprovalAsked{ID: event.ApprovalID(id), Call: event.CallID(call), Request: approval.Request{Command: "make"}}
	}
	question := event.QuestionAsked{ID: "q-3", Questions: []event.Question{{Text: "Which?"}}}
	for name, test := range map[string]struct {
		events  []event.Event
		want    []string // what is requested
		pending []string // what is requested again of a client that attaches
	}{
		"of one message":                 {[]event.Event{intended("a", "m"), intended("b", "m"), request("1", "a"), request("2", "b")}, []string{"batch"}, []string{"batch"}},
		"of a message that is not known": {[]event.Event{intended("a", "m"), intended("b", "m"), request("1", "a")}, nil, []string{"a"}},
		"of messages":                    {[]event.Event{intended("a", "m"), intended("b", "n"), request("1", "a"), request("2", "b")}, []string{"a", "b"}, []string{"batch"}},
		"again":                          {[]event.Event{intended("a", "m"), request("1", "a"), event.ApprovalAnswered{ID: "1"}, request("2", "a")}, []string{"a", "a"}, []string{"a"}},
		"a question of no call":          {[]event.Event{question}, []string{"q-3"}, []string{"q-3"}},
		"a question with an answer":      {[]event.Event{question, event.QuestionAnswered{ID: "q-3"}}, []string{"q-3"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			v := &view{session: 1, batch: func() string { return "batch" }}
			got := requested(v.render(event.Record{Event: event.TurnStarted{}}))
			for _, e := range test.events {
				got = append(got, requested(v.render(event.Record{Event: e}))...)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q was requested, want %q", got, test.want)
			}
			if got := requested(v.askOpen()); !slices.Equal(got, test.pending) {
				t.Errorf("%q is pending, want %q", got, test.pending)
			}
		})
	}
}

// requested returns the ids of what messages request.
func requested(messages []any) (ids []string) {
	for _, m := range messages {
		switch m := m.(type) {
		case permissionMessage:
			ids = append(ids, m.id)
		case questionMessage:
			ids = append(ids, m.message.ToolUseID)
		}
	}
	return ids
}
