package codex

import (
	"strings"
	"testing"
)

// TestExecFold: the events of a turn, by the notifications about it.
func TestExecFold(t *testing.T) {
	const in = `turn/started {"threadId":"T","turn":{"id":"U","status":"inProgress"}}
turn/started {"threadId":"other","turn":{"id":"V","status":"inProgress"}}
item/started {"threadId":"T","item":{"type":"userMessage","id":"u-1","content":[{"type":"text","text":"hi"}]}}
item/started {"threadId":"T","item":{"type":"reasoning","id":"m-1.1","summary":[],"content":[]}}
item/completed {"threadId":"T","item":{"type":"reasoning","id":"m-1.1","summary":[],"content":["Let me","see."]}}
item/completed {"threadId":"T","item":{"type":"reasoning","id":"m-1.2","summary":[],"content":[]}}
item/started {"threadId":"T","item":{"type":"commandExecution","id":"c1","command":"ls","status":"inProgress"}}
error {"threadId":"T","error":{"message":"Reconnecting... 1/5"},"willRetry":true}
turn/plan/updated {"threadId":"T","plan":[{"step":"One","status":"inProgress"}]}
turn/plan/updated {"threadId":"T","plan":[{"step":"One","status":"completed"}]}
item/completed {"threadId":"T","item":{"type":"commandExecution","id":"c1","command":"ls","status":"declined","aggregatedOutput":"no","exitCode":null}}
item/completed {"threadId":"T","item":{"type":"fileChange","id":"c2","changes":[{"path":"/a","kind":{"type":"delete"},"diff":""}],"status":"declined"}}
item/completed {"threadId":"T","item":{"type":"mcpToolCall","id":"c3","server":"s","tool":"t","arguments":{"a":1},"status":"failed","error":{"message":"broken"}}}
item/completed {"threadId":"T","item":{"type":"webSearch","id":"c4","query":"q"}}
warning {"threadId":"T","message":"Careful."}
item/completed {"threadId":"T","item":{"type":"agentMessage","id":"m-2.1","text":"Done."}}
thread/tokenUsage/updated {"threadId":"T","tokenUsage":{"total":{"totalTokens":15,"inputTokens":10,"cachedInputTokens":2,"cacheWriteInputTokens":1,"outputTokens":5,"reasoningOutputTokens":3}}}
turn/completed {"threadId":"T","turn":{"id":"U","status":"completed"}}
warning {"threadId":"T","message":"Too late."}`
	const want = `{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"Let me\nsee."}}
{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"item.started","item":{"id":"item_2","type":"todo_list","items":[{"text":"One","completed":false}]}}
{"type":"item.updated","item":{"id":"item_2","type":"todo_list","items":[{"text":"One","completed":true}]}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"no","exit_code":null,"status":"declined"}}
{"type":"item.completed","item":{"id":"item_3","type":"file_change","changes":[{"path":"/a","kind":"delete"}],"status":"failed"}}
{"type":"item.completed","item":{"id":"item_4","type":"mcp_tool_call","server":"s","tool":"t","arguments":{"a":1},"result":null,"error":{"message":"broken"},"status":"failed"}}
{"type":"item.completed","item":{"id":"item_5","type":"web_search","query":"q"}}
{"type":"item.completed","item":{"id":"item_6","type":"error","message":"Careful."}}
{"type":"item.completed","item":{"id":"item_7","type":"agent_message","text":"Done."}}
{"type":"item.completed","item":{"id":"item_2","type":"todo_list","items":[{"text":"One","completed":true}]}}
{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":2,"cache_write_input_tokens":1,"output_tokens":5,"reasoning_output_tokens":3}}
`
	f := execFold{thread: "T"}
	var got []byte
	for line := range strings.Lines(in) {
		method, params, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, e := range f.fold(method, []byte(params)) {
			got = AppendExecEvent(got, e)
		}
	}
	if string(got) != want {
		t.Errorf("the events are\n%s", got)
	}
	if f.answer != "Done." || f.status != TurnStatusCompleted {
		t.Errorf("the end is %q, %q", f.answer, f.status)
	}
	for _, test := range [][2]string{
		{`{"status":"failed","error":{"message":"no such thing"}}`, `{"type":"turn.failed","error":{"message":"no such thing"}}`},
		{`{"status":"interrupted"}`, `{"type":"turn.failed","error":{"message":"the turn was interrupted"}}`},
	} {
		f := execFold{thread: "T"}
		events := f.fold("turn/completed", []byte(`{"threadId":"T","turn":`+test[0]+`}`))
		if len(events) != 1 || string(AppendExecEvent(nil, events[0])) != test[1]+"\n" {
			t.Errorf("%s ends with %v", test[0], events)
		}
	}
}
