package conform

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// A wire is a protocol of model servers, known by the end of its path. It renders the events of one answer.
type wire interface {
	begin() string
	text(text string) string
	call(name, arguments string) string
	end() string
}

// wireOf returns the wire of a path.
func wireOf(path string) (wire, bool) {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return &chat{}, true
	case strings.HasSuffix(path, "/responses"):
		return &responses{}, true
	case strings.HasSuffix(path, "/messages"):
		return &messages{}, true
	}
	return nil, false
}

// quote returns a text as JSON.
func quote(text string) string {
	out, _ := json.Marshal(text) // of a string: cannot fail
	return string(out)
}

// event returns an event of a stream; a name is also its type.
func event(name, format string, args ...any) string {
	data := fmt.Sprintf(format, args...)
	if name == "" {
		return "data: " + data + "\n\n"
	}
	return "event: " + name + "\ndata: {\"type\":\"" + name + "\"" + data + "}\n\n"
}

// chat renders Chat Completions of OpenAI.
type chat struct{ calls int }

func (c *chat) chunk(delta, finish string) string {
	return event("", `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":%q,"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`, ModelName, delta, finish)
}

func (c *chat) begin() string { return c.chunk(`{"role":"assistant","content":""}`, "null") }

func (c *chat) text(text string) string { return c.chunk(`{"content":`+quote(text)+`}`, "null") }

func (c *chat) call(name, arguments string) string {
	c.calls++
	return c.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%q,"arguments":%s}}]}`, c.calls-1, nextCall(), name, quote(arguments)), "null")
}

func (c *chat) end() string {
	finish := `"stop"`
	if c.calls > 0 {
		finish = `"tool_calls"`
	}
	return c.chunk(`{}`, finish) +
		event("", `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":%q,"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`, ModelName) +
		event("", "[DONE]")
}

// responses renders Responses of OpenAI.
type responses struct {
	items   int
	message strings.Builder
	open    bool
	output  []string
}

func (r *responses) begin() string {
	return event("response.created", `,"response":{"id":"resp_1","object":"response","status":"in_progress","model":%q,"output":[]}`, ModelName)
}

func (r *responses) text(text string) string {
	var out string
	if !r.open {
		r.open = true
		out = event("response.output_item.added", `,"output_index":%d,"item":{"type":"message","id":"msg_%d","role":"assistant","status":"in_progress","content":[]}`, r.items, r.items)
	}
	r.message.WriteString(text)
	return out + event("response.output_text.delta", `,"item_id":"msg_%d","output_index":%d,"content_index":0,"delta":%s`, r.items, r.items, quote(text))
}

func (r *responses) call(name, arguments string) string {
	out := r.close()
	id := nextCall()
	item := func(arguments, status string) string {
		return fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":%q,"arguments":%s,"status":%q}`, id, id, name, quote(arguments), status)
	}
	out += event("response.output_item.added", `,"output_index":%d,"item":%s`, r.items, item("", "in_progress")) +
		event("response.function_call_arguments.delta", `,"item_id":"fc_%d","output_index":%d,"delta":%s`, id, r.items, quote(arguments)) +
		event("response.function_call_arguments.done", `,"item_id":"fc_%d","output_index":%d,"arguments":%s`, id, r.items, quote(arguments))
	return out + r.done(item(arguments, "completed"))
}

// close ends the open message.
func (r *responses) close() string {
	if !r.open {
		return ""
	}
	text := quote(r.message.String())
	out := event("response.output_text.done", `,"item_id":"msg_%d","output_index":%d,"content_index":0,"text":%s`, r.items, r.items, text) +
		r.done(fmt.Sprintf(`{"type":"message","id":"msg_%d","role":"assistant","status":"completed","content":[{"type":"output_text","text":%s,"annotations":[]}]}`, r.items, text))
	r.open = false
	r.message.Reset()
	return out
}

func (r *responses) done(item string) string {
	r.items++
	r.output = append(r.output, item)
	return event("response.output_item.done", `,"output_index":%d,"item":%s`, r.items-1, item)
}

func (r *responses) end() string {
	out := r.close()
	return out + event("response.completed", `,"response":{"id":"resp_1","object":"response","status":"completed","model":%q,"output":[%s],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":0},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":120}}`,
		ModelName, strings.Join(r.output, ","))
}

// messages renders Messages of Anthropic.
type messages struct {
	block int
	open  bool
	calls int
}

func (m *messages) begin() string {
	return event("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":%q,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":1}}`, ModelName)
}

func (m *messages) text(text string) string {
	var out string
	if !m.open {
		m.open = true
		out = event("content_block_start", `,"index":%d,"content_block":{"type":"text","text":""}`, m.block)
	}
	return out + event("content_block_delta", `,"index":%d,"delta":{"type":"text_delta","text":%s}`, m.block, quote(text))
}

func (m *messages) call(name, arguments string) string {
	out := m.close()
	m.calls++
	out += event("content_block_start", `,"index":%d,"content_block":{"type":"tool_use","id":"call_%d","name":%q,"input":{}}`, m.block, nextCall(), name) +
		event("content_block_delta", `,"index":%d,"delta":{"type":"input_json_delta","partial_json":%s}`, m.block, quote(arguments))
	m.open = true
	return out + m.close()
}

func (m *messages) close() string {
	if !m.open {
		return ""
	}
	m.open = false
	m.block++
	return event("content_block_stop", `,"index":%d`, m.block-1)
}

func (m *messages) end() string {
	reason := "end_turn"
	if m.calls > 0 {
		reason = "tool_use"
	}
	return m.close() + event("message_delta", `,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":20}`, reason) + event("message_stop", "")
}
