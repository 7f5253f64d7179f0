package modeltest

import (
	"fmt"

	"parley.dev/parley/internal/model"
)

// messages renders the Messages stream.
type messages struct {
	usage model.Usage
	stop  model.Stop

	block int      // index of the block that is open
	kind  partKind // of it
	open  bool
}

func (m *messages) event(name, format string, args ...any) string {
	return frame(name, `{"type":%q,`+format+`}`, append([]any{name}, args...)...)
}

func (m *messages) begin() string {
	usage := `{}`
	if u := m.usage; u != (model.Usage{}) {
		usage = fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":1}`, u.Input, u.CacheWrite, u.CacheRead)
	}
	return m.event("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":%q,"content":[],"stop_reason":null,"stop_sequence":null,"usage":%s}`, Model, usage) +
		frame("ping", `{"type":"ping"}`)
}

func (m *messages) part(p Part) string {
	switch p.kind {
	case partText:
		return m.turnTo(partText, `{"type":"text","text":""}`) + m.delta(`{"type":"text_delta","text":%s}`, p.text)
	case partThinking, partSummary:
		return m.turnTo(partThinking, `{"type":"thinking","thinking":"","signature":""}`) + m.delta(`{"type":"thinking_delta","thinking":%s}`, p.text)
	case partSignature:
		return m.turnTo(partThinking, `{"type":"thinking","thinking":"","signature":""}`) + m.delta(`{"type":"signature_delta","signature":%q}`, p.signature)
	}
	out := m.close() + m.start(partCall, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, p.call.ID, p.call.Name))
	for _, piece := range p.pieces {
		out += m.delta(`{"type":"input_json_delta","partial_json":%s}`, quote(piece))
	}
	return out
}

// turnTo opens a block of kind unless one is open.
func (m *messages) turnTo(kind partKind, block string) string {
	if m.open && m.kind == kind {
		return ""
	}
	return m.close() + m.start(kind, block)
}

func (m *messages) start(kind partKind, block string) string {
	m.open, m.kind = true, kind
	return m.event("content_block_start", `"index":%d,"content_block":`+block, m.block)
}

func (m *messages) delta(format string, args ...any) string {
	return m.event("content_block_delta", `"index":%d,"delta":`+format, append([]any{m.block}, args...)...)
}

func (m *messages) close() string {
	if !m.open {
		return ""
	}
	m.open = false
	m.block++
	return m.event("content_block_stop", `"index":%d`, m.block-1)
}

func (m *messages) errorFrame(p Part) string {
	return frame("error", `{"type":"error","error":{"type":%q,"message":%s}}`, p.code, p.text)
}

func (m *messages) errorData(p Part) string {
	return frame("", `{"type":"error","error":{"type":%q,"message":%s}}`, p.code, p.text)
}

func (m *messages) end() string {
	reason, ok := map[model.Stop]string{
		model.StopEnd:    "end_turn",
		model.StopTools:  "tool_use",
		model.StopTokens: "max_tokens",

		model.StopSequence: "stop_sequence",
		model.StopRefused:  "refusal",
	}[m.stop]
	if !ok {
		reason = string(m.stop)
	}
	usage := `{}`
	if u := m.usage; u != (model.Usage{}) {
		usage = fmt.Sprintf(`{"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}`, u.Output, u.Thinking)
	}
	return m.close() +
		m.event("message_delta", `"delta":{"stop_reason":%q,"stop_sequence":null},"usage":%s`, reason, usage) +
		frame("message_stop", `{"type":"message_stop"}`)
}
