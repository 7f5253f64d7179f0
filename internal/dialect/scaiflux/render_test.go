package scaiflux

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestRenderKeepsTheRules folds sessions of every shape: what comes out is always decoded
// by the strictest reader, in an order that the protocol allows.
func TestRenderKeepsTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, r := newView(nil), newReader()
		said := ""
		for _, rec := range drawStory(t) {
			if d, ok := rec.Event.(event.TextDelta); ok {
				said += d.Text
			}
			if _, ok := rec.Event.(event.TurnStarted); ok {
				said = ""
			}
			for _, line := range lines(v.render(rec)...) {
				if bytes.IndexByte(line, '\n') >= 0 {
					t.Fatalf("a line holds a line feed: %q", line)
				}
				if err := r.line(line); err != nil {
					t.Fatalf("%s\nof %T: %v", line, rec.Event, err)
				}
			}
			if _, ok := rec.Event.(event.TurnEnded); !ok {
				continue
			}
			if r.turn != "" {
				t.Fatalf("turn %s has ended without turn_complete", r.turn)
			}
			if r.delivered != said {
				t.Fatalf("deltas say %q, not %q", r.delivered, said)
			}
			if len(v.requests)+len(v.ids) != 0 {
				t.Fatalf("requests are pending after the turn: %v", v.requests)
			}
		}
	})
}

// TestRenderSendsTheContextOnce: state_changed comes before turn_complete, and only when
// the whole percent is another than the last one sent.
func TestRenderSendsTheContextOnce(t *testing.T) {
	v := newView(nil)
	var got []string
	for _, used := range []int{1000, 2000, 2600, 2700, 0, 0, 900_000} {
		for _, line := range lines(v.render(event.Record{Seq: 1, Turn: "t", Event: event.TurnEnded{
			Reason: event.TurnCompleted, Context: used, Window: 128_000,
		}})...) {
			got = append(got, string(line))
		}
	}
	end := `{"type":"turn_complete","turn_id":"t","stop_reason":"end_turn","iterations":0,"input_tokens":0,"output_tokens":0,"mutations":[]}`
	changed := func(pct string) string { return `{"type":"state_changed","context_pct":` + pct + `}` }
	want := []string{end, changed("1"), end, changed("2"), end, end, changed("0"), end, end, changed("100"), end}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestRenderMessages has one line for each kind of message, field for field.
func TestRenderMessages(t *testing.T) {
	outside := approval.Request{Tool: "read_file", Level: approval.Read, Paths: []approval.Path{{Path: "/etc/passwd", Shown: "/etc/passwd", Outside: true}}}
	rm := approval.Request{Tool: "bash", Level: approval.Execute, Command: "cd x && rm -r build"}
	rows := []struct {
		event event.Event
		want  []string
	}{
		{event.TurnStarted{Prompt: "p"}, []string{`{"type":"turn_started","turn_id":"t"}`}},
		{event.TextDelta{Text: "a\"\\\n\u2028<é😀"}, []string{`{"type":"text_delta","turn_id":"t","delta":"a\"\\\n` + "\u2028" + `<é😀"}`}},
		{event.ThinkingDelta{Text: "hm"}, nil},
		{event.ToolIntended{Call: "c", Name: "bash", Input: jsontext.Value(`{"command":"ls"}`)}, []string{`{"type":"tool_start","turn_id":"t","tool_id":"c","name":"bash","input":{"command":"ls"}}`}},
		{event.ToolIntended{Call: "c", Name: "bash", Input: jsontext.Value(`"{\"command\":"`)}, []string{`{"type":"tool_start","turn_id":"t","tool_id":"c","name":"bash","input":{"_raw":"{\"command\":"}}`}},
		{event.ToolStarted{Call: "c"}, nil},
		{event.ToolEnded{Call: "c", Outcome: event.Succeeded, Output: "x\n", Ran: event.Duration(1234567 * time.Microsecond)}, []string{`{"type":"tool_result","turn_id":"t","tool_id":"c","output":"x\n","is_error":false,"duration_s":1.235}`}},
		{event.ToolEnded{Call: "c", Outcome: event.Denied, Output: textDenied}, []string{`{"type":"tool_result","turn_id":"t","tool_id":"c","output":"denied by remote controller","is_error":true,"duration_s":0}`}},
		{event.ToolEnded{Call: "c", Outcome: event.OutcomeUnknown}, []string{`{"type":"tool_result","turn_id":"t","tool_id":"c","output":"","is_error":true,"duration_s":0}`}},
		{event.ApprovalAsked{ID: "a-1", Mode: "prompt", Request: rm, Input: jsontext.Value(`{"command":"cd x && rm -r build"}`)}, []string{`{"type":"permission_request","request_id":"r-1","tool":"bash","active_mode":"prompt","required_mode":"danger-full-access","details":{"tool_input":{"command":"cd x && rm -r build"},"reason":"matches deny rule \"bash:rm *\" in .scaiflux.json; runs cd, rm"}}`}},
		{event.ApprovalAsked{ID: "a-2", Mode: "read-only", Request: approval.Request{Tool: "write_file", Level: approval.Write, Paths: []approval.Path{{Path: "/w/x", Shown: "x", Write: true}}}, Input: jsontext.Value(`{}`)}, []string{`{"type":"permission_request","request_id":"r-2","tool":"write_file","active_mode":"read-only","required_mode":"workspace-write","details":{"tool_input":{},"reason":"write_file needs workspace-write; active mode is read-only"}}`}},
		{event.ApprovalAsked{ID: "a-3", Mode: "danger-full-access", Request: outside, Input: jsontext.Value(`{}`)}, []string{`{"type":"permission_request","request_id":"r-3","tool":"read_file","active_mode":"danger-full-access","required_mode":"danger-full-access","details":{"tool_input":{},"reason":"/etc/passwd is outside the workspace"}}`}},
		{event.ApprovalAnswered{ID: "a-1", Allowed: true, By: event.ByClient}, nil},
		{event.TurnEnded{Reason: event.TurnStepLimit, Rounds: 3, Usage: model.Usage{Input: 10, CacheRead: 20, CacheWrite: 5, Output: 7}, Mutations: []event.Mutation{{Tool: "edit_file", Path: "src/a.py"}}}, []string{`{"type":"turn_complete","turn_id":"t","stop_reason":"max_iterations","iterations":3,"input_tokens":35,"output_tokens":7,"mutations":[["edit_file","src/a.py"]]}`}},
		{event.TurnEnded{Reason: event.TurnFailed, Failure: &event.Failure{Kind: "overloaded", Message: "BACKEND_ERROR (HTTP 502): down"}}, []string{
			`{"type":"error","code":"provider_unavailable","message":"BACKEND_ERROR (HTTP 502): down","origin":"remote","turn_id":"t"}`,
			`{"type":"turn_complete","turn_id":"t","stop_reason":"error","iterations":0,"input_tokens":0,"output_tokens":0,"mutations":[]}`,
		}},
		{event.TurnEnded{Reason: event.TurnFailed}, []string{
			`{"type":"error","code":"internal","message":"the turn failed","origin":"local","turn_id":"t"}`,
			`{"type":"turn_complete","turn_id":"t","stop_reason":"error","iterations":0,"input_tokens":0,"output_tokens":0,"mutations":[]}`,
		}},
		{event.SessionChanged{}, nil},
		{event.Notice{Code: "compaction_failed", Text: "x"}, nil},
		{event.Notice{Code: "session_write_failed", Text: "disk full"}, []string{`{"type":"error","code":"session_write_failed","message":"disk full","origin":"local"}`}},
	}
	rule, err := approval.ParseRule(approval.Deny, "bash:rm *")
	if err != nil {
		t.Fatal(err)
	}
	v := newView([]approval.Rule{rule})
	for _, row := range rows {
		var got []string
		for _, line := range lines(v.render(event.Record{Seq: 1, Turn: "t", Event: row.event})...) {
			got = append(got, string(line))
		}
		if d := cmp.Diff(row.want, got); d != "" {
			t.Errorf("%T: %s", row.event, d)
		}
	}
}

// TestFailureCodes: every kind of provider failure has a code of the protocol's list, and
// only the one that the server cannot blame on anybody has origin unknown.
func TestFailureCodes(t *testing.T) {
	want := map[string]string{
		"not_configured": "provider_not_configured local", "auth": "provider_auth remote",
		"rate_limited": "provider_rate_limited remote", "quota": "provider_quota remote",
		"rejected": "provider_rejected remote", "context_too_long": "context_length_exceeded remote",
		"overloaded": "provider_unavailable remote", "broken_stream": "provider_protocol remote",
		"unreachable": "provider_unreachable unknown", "internal": "internal local", "of the future": "internal local",
	}
	for kind, codes := range want {
		e := failed("t", &event.Failure{Kind: kind, Message: "m"})
		if got := e.Code + " " + e.Origin; got != codes || e.TurnID != "t" || e.Message != "m" {
			t.Errorf("%s: %+v, want %s", kind, e, codes)
		}
	}
	for _, kind := range []model.ErrorKind{
		model.NotConfigured, model.Auth, model.RateLimited, model.Quota, model.Rejected,
		model.ContextTooLong, model.Overloaded, model.Unreachable, model.BrokenStream,
	} {
		if want[string(kind)] == "" {
			t.Errorf("%s has no wire code", kind)
		}
	}
}

// TestTextDelta: the line without reflection is the line with it.
func TestTextDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := TextDelta{"text_delta", drawText(t, "turn"), drawText(t, "delta")}
		slow, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if fast := encode(d); !bytes.Equal(fast, slow) {
			t.Fatalf("%s, not %s", fast, slow)
		}
	})
}

func TestPercent(t *testing.T) {
	rows := map[[2]int]int{
		{820, 256_000}: 0, {7680, 256_000}: 3, {7680, 128_000}: 6, {0, 0}: 0, {5, 0}: 0, {128_000, 128_000}: 100, {500_000, 128_000}: 100,
		{1279, 128_000}: 0, {1280, 128_000}: 1,
	}
	for in, want := range rows {
		if got := percent(in[0], in[1]); got != want {
			t.Errorf("percent(%d, %d) = %d, want %d", in[0], in[1], got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]float64{
		0: 0, 499 * time.Microsecond: 0, 500 * time.Microsecond: 0.001, 1310 * time.Millisecond: 1.31, 40 * time.Millisecond: 0.04,
	} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %v, want %v", d, got, want)
		}
	}
}

// TestEncodeNeverEscapesHTML: the protocol's own strings are sent as they are.
func TestEncodeNeverEscapesHTML(t *testing.T) {
	line := string(encode(refuse("internal", "<a href='x'>&</a>")))
	if !strings.Contains(line, "<a href='x'>&</a>") {
		t.Error(line)
	}
}
