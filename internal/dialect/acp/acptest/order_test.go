package acptest

import (
	"slices"
	"strings"
	"testing"
)

// The frames of a session s that is open, with a prompt.
var opened = []string{
	`>"id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"terminal":true,"fs":{"readTextFile":true},"elicitation":{"form":{}}}}`,
	`<"id":0,"result":{"protocolVersion":1}`,
	`>"id":1,"method":"session/new","params":{}`,
	`<"id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask"},{"id":"plan"}]},"configOptions":[{"id":"mode","currentValue":"ask","options":[{"value":"ask"}]}]}`,
	`>"id":2,"method":"session/prompt","params":{"sessionId":"s"}`,
}

func TestOrder(t *testing.T) {
	of := func(update string) string {
		return `<"method":"session/update","params":{"sessionId":"s","update":` + update + `}`
	}
	const answer = `<"id":2,"result":{"stopReason":"end_turn"}`
	call := of(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}`)
	done := of(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`)
	said := of(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}`)
	for _, test := range []struct {
		name   string
		frames []string
		want   []string // parts of the problems
	}{
		{"a turn", []string{
			said, call, `<"id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"}}`, `>"id":0,"result":{}`,
			`<"id":1,"method":"terminal/create","params":{"sessionId":"s"}`, `>"id":1,"result":{"terminalId":"t"}`,
			`<"id":2,"method":"terminal/release","params":{"sessionId":"s","terminalId":"t"}`,
			`<"id":3,"method":"elicitation/create","params":{"sessionId":"s","toolCallId":"c","mode":"form"}`, `<"method":"$/cancel_request","params":{"requestId":3}`,
			of(`{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`), done, answer, of(`{"sessionUpdate":"usage_update"}`),
		}, nil},
		{"an update after the answer", []string{answer, said}, []string{"agent_message_chunk of session s while no prompt is open"}},
		{"a call that does not end", []string{call, answer}, []string{"answered before its call c ended"}},
		{"a call that begins twice", []string{call, call, done, answer}, []string{"tool call c begins twice"}},
		{"an update of a call that has ended", []string{call, done, done, answer}, []string{"tool call c, which has ended"}},
		{"an update of no call", []string{done, answer}, []string{"tool call c, which has not begun"}},
		{"a permission of no call", []string{`<"id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"d"}}`}, []string{"tool call d, which has not begun"}},
		{"a permission outside of a turn", []string{answer, `<"id":0,"method":"session/request_permission","params":{"sessionId":"s"}`}, []string{"session/request_permission of session s while no prompt is open"}},
		{"no such session", []string{`<"method":"session/update","params":{"sessionId":"r","update":{"sessionUpdate":"usage_update"}}`}, []string{"session r, which the client does not have"}},
		{"not advertised", []string{`<"id":0,"method":"fs/write_text_file","params":{"sessionId":"s"}`}, []string{"the client does not have fs/writeTextFile"}},
		{"a form of another mode", []string{`<"id":0,"method":"elicitation/create","params":{"mode":"url"}`}, []string{"the client does not have elicitation/url"}},
		{"withdrawn twice", []string{
			`<"id":0,"method":"session/request_permission","params":{"sessionId":"s"}`, `>"id":0,"result":{}`, `<"method":"$/cancel_request","params":{"requestId":0}`,
		}, []string{"request 0 is withdrawn, and is not open"}},
		{"one id", []string{`<"id":0,"method":"fs/read_text_file","params":{"sessionId":"s"}`, `<"id":0,"method":"fs/read_text_file","params":{"sessionId":"s"}`}, []string{"two open requests have the id 0"}},
		{"a mode that is not offered", []string{of(`{"sessionUpdate":"current_mode_update","currentModeId":"full"}`)}, []string{"the mode full is none of"}},
		{"an option that is not offered", []string{of(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"a","currentValue":"x","options":[{"value":"y"}]}]}`)}, []string{"the option a has the value x"}},
		{"a terminal that is left", []string{`<"id":1,"method":"terminal/create","params":{"sessionId":"s"}`, `>"id":1,"result":{"terminalId":"t"}`}, []string{"terminal t was not released"}},
		{"a terminal that comes late", []string{
			`<"id":1,"method":"terminal/create","params":{"sessionId":"s"}`, answer, `>"id":1,"result":{"terminalId":"t"}`, `<"id":2,"method":"terminal/release","params":{"sessionId":"s","terminalId":"t"}`,
		}, nil},
		{"a file outside of a turn", []string{answer, `<"id":1,"method":"fs/read_text_file","params":{"sessionId":"s"}`}, []string{"fs/read_text_file of session s while no prompt is open"}},
		{"a replay", []string{
			call, done, answer, `>"id":3,"method":"session/load","params":{"sessionId":"s"}`, said, of(`{"sessionUpdate":"tool_call","toolCallId":"c","status":"completed"}`), `<"id":3,"result":{}`, said,
		}, []string{"agent_message_chunk of session s while no prompt is open"}},
		{"a load that fails", []string{`>"id":3,"method":"session/load","params":{"sessionId":"r"}`, `<"id":3,"error":{"code":-32002,"message":"no"}`, `<"method":"session/update","params":{"sessionId":"r","update":{"sessionUpdate":"usage_update"}}`}, []string{"session r, which the client does not have"}},
		{"closed", []string{answer, `>"id":3,"method":"session/close","params":{"sessionId":"s"}`, `<"id":3,"result":{}`, of(`{"sessionUpdate":"usage_update"}`)}, []string{"session s, which the client does not have"}},
		{"closed and loaded at once", []string{
			answer, `>"id":3,"method":"session/close","params":{"sessionId":"s"}`, `>"id":4,"method":"session/load","params":{"sessionId":"s"}`,
			`<"id":3,"result":{}`, said, `<"id":4,"result":{}`, of(`{"sessionUpdate":"usage_update"}`),
		}, nil},
		{"two prompts", []string{`>"id":3,"method":"session/prompt","params":{"sessionId":"s"}`, call, answer, done, `<"id":3,"result":{"stopReason":"end_turn"}`}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := NewOrder()
			for _, f := range append(slices.Clone(opened), test.frames...) {
				line := []byte(`{"jsonrpc":"2.0",` + f[1:] + `}`)
				if f[0] == '>' {
					o.FromClient(line)
				} else {
					o.FromAgent(line)
				}
			}
			o.End()
			got := o.Problems()
			if len(got) != len(test.want) {
				t.Fatalf("%q, want %q", got, test.want)
			}
			for i, want := range test.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("%q, want %q", got[i], want)
				}
			}
		})
	}
}
