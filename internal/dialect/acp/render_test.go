package acp

import (
	"fmt"
	"testing"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// aView returns a view in which a turn runs.
func aView(caps ClientCapabilities) *view {
	n := 0
	v := &view{caps: caps, models: newModels(engine.NewHost(engine.Config{Models: fakeModels{}})), newID: func() string { n++; return fmt.Sprintf("id-%d", n) }}
	v.render(event.Record{Turn: "t", Event: event.TurnStarted{Prompt: "p"}})
	return v
}

// lines renders an event as the client gets it.
func lines(v *view, e event.Event) (all []string) {
	for _, update := range v.render(event.Record{Turn: "t", Time: time.Unix(0, 0), Event: e}) {
		all = append(all, string(marshal(update)))
	}
	return all
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestDiscardedAnswer: an answer that is given again, with the same id in the records, is another message for clients.
func TestDiscardedAnswer(t *testing.T) {
	v := aView(ClientCapabilities{})
	chunk := func(id, piece string) string {
		return `{"sessionUpdate":"agent_message_chunk","messageId":"` + id + `","content":{"type":"text","text":"` + piece + `"}}`
	}
	wantLines(t, lines(v, event.TextDelta{Message: "m-1", Text: "Half"}), chunk("m-1", "Half"))
	wantLines(t, lines(v, event.RetryStarted{Attempt: 1, Max: 2}))
	wantLines(t, lines(v, event.TextDelta{Message: "m-1", Text: "Wh"}), chunk("m-1.2", "Wh"))
	whole := event.AssistantMessage{ID: "m-1", Blocks: []model.Block{model.TextBlock("Whole")}}
	wantLines(t, lines(v, whole), chunk("m-1.2", "ole"))
	wantLines(t, lines(v, event.TextDelta{Message: "m-2", Text: "Next"}), chunk("m-2", "Next"))
}

// TestUsage: the context and the cost of the session after each step, the cost only if there is one.
func TestUsage(t *testing.T) {
	v := aView(ClientCapabilities{})
	usage := model.Usage{Input: 100, CacheRead: 20, Output: 5}
	lines(v, event.AssistantMessage{ID: "m-1", Usage: usage})
	wantLines(t, lines(v, event.StepEnded{Step: 1}), `{"sessionUpdate":"usage_update","used":125,"size":128000}`)
	lines(v, event.ContextEstimated{Window: 1000})
	lines(v, event.AssistantMessage{ID: "m-2", Usage: usage, Cost: 0.25})
	lines(v, event.SubagentEnded{Cost: 0.5})
	wantLines(t, lines(v, event.StepEnded{Step: 2}), `{"sessionUpdate":"usage_update","used":125,"size":1000,"cost":{"amount":0.75,"currency":"USD"}}`)
}

// TestNotices: a client without notices gets warnings as messages, which wait for a turn, and no infos.
func TestNotices(t *testing.T) {
	failed := event.ServerChanged{Server: "desk", Status: event.ServerFailed, Error: "gone"}
	again := failed
	again.Again = true
	able := aView(ClientCapabilities{Session: ClientSessionCapabilities{Notices: &Marker{}}})
	able.render(event.Record{Event: event.TurnEnded{}})
	wantLines(t, lines(able, failed), `{"sessionUpdate":"notice","severity":"warning","title":"Tool server desk","description":"cannot be used: gone"}`)
	wantLines(t, lines(able, again))
	wantLines(t, lines(able, event.Notice{Level: event.Error, Code: engine.NoticeUnsaved, Text: "disk full"}),
		`{"sessionUpdate":"notice","severity":"error","title":"Session write failed","description":"disk full"}`)

	plain := aView(ClientCapabilities{})
	plain.render(event.Record{Event: event.TurnEnded{}})
	wantLines(t, lines(plain, failed))
	wantLines(t, lines(plain, event.Notice{Level: event.Info, Code: "x", Text: "y"}))
	wantLines(t, lines(plain, event.TurnStarted{Prompt: "q"}),
		`{"sessionUpdate":"agent_message_chunk","messageId":"id-1","content":{"type":"text","text":"**Tool server desk:** cannot be used: gone\n\n"}}`)
	wantLines(t, lines(plain, event.TurnStarted{Prompt: "r"}))
}

// TestOpenCompactionEnds: a compaction that is open when its turn ends has ended, too.
func TestOpenCompactionEnds(t *testing.T) {
	v := aView(ClientCapabilities{Session: ClientSessionCapabilities{Compaction: &Marker{}}})
	wantLines(t, lines(v, event.CompactionStarted{Reason: event.CompactThreshold}), `{"sessionUpdate":"compaction_update","compactionId":"id-1","status":"in_progress"}`)
	all := v.render(event.Record{Turn: "t", Event: event.TurnEnded{Reason: event.TurnFailed}})
	wantLines(t, []string{string(marshal(all[0]))}, `{"sessionUpdate":"compaction_update","compactionId":"id-1","status":"cancelled"}`)
	if _, over := all[1].(turnEnd); !over || len(all) != 2 {
		t.Errorf("%v", all)
	}
}

// TestStopReasons: every reason of a turn is an answer; one that was cancelled is never an error.
func TestStopReasons(t *testing.T) {
	s := &session{conn: &conn{edition: edition1{}}}
	failure := &event.Failure{Kind: string(model.Overloaded), Message: "busy\nnow", Status: 529}
	for _, test := range []struct {
		reason    event.TurnReason
		cancelled bool
		want      string
	}{
		{event.TurnCompleted, false, `"result":{"stopReason":"end_turn"}`},
		{event.TurnMaxTokens, false, `"result":{"stopReason":"max_tokens"}`},
		{event.TurnStepLimit, false, `"result":{"stopReason":"max_turn_requests"}`},
		{event.TurnBudget, false, `"result":{"stopReason":"max_turn_requests","_meta":{"parley.dev":{"reason":"budget"}}}`},
		{event.TurnRefused, false, `"result":{"stopReason":"refusal"}`},
		{event.TurnInterrupted, false, `"result":{"stopReason":"cancelled"}`},
		{event.TurnFailed, false, `"error":{"code":-32603,"message":"busy now","data":{"kind":"overloaded","status":529}}`},
		{event.TurnFailed, true, `"result":{"stopReason":"cancelled"}`},
		{event.TurnBudget, true, `"result":{"stopReason":"cancelled"}`},
		{event.TurnCompleted, true, `"result":{"stopReason":"cancelled"}`},
	} {
		got := string(s.promptLine("1", event.TurnEnded{Reason: test.reason, Failure: failure}, test.cancelled))
		if want := `{"jsonrpc":"2.0","id":1,` + test.want + `}`; got != want {
			t.Errorf("%s: %s, want %s", test.reason, got, want)
		}
	}
}
