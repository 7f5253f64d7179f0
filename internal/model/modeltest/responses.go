package modeltest

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/model"
)

// responses renders the Responses stream.
type responses struct {
	usage model.Usage
	stop  model.Stop

	item  int      // output index of the item that is open
	kind  partKind // of it
	open  bool
	said  []string // the raw pieces of it; of reasoning: of its summary
	raw   []string // of reasoning: the raw pieces of the reasoning itself
	bytes string   // encrypted reasoning of it
}

func (r *responses) event(name, format string, args ...any) string {
	return frame(name, `{"type":%q,`+format+`}`, append([]any{name}, args...)...)
}

func (r *responses) begin() string {
	return r.event("response.created", `"response":{"id":"resp_1","object":"response","status":"in_progress","model":%q,"error":null,"output":[],"usage":null}`, Model) +
		r.event("response.in_progress", `"response":{"id":"resp_1","status":"in_progress"}`)
}

func (r *responses) part(p Part) string {
	switch p.kind {
	case partText:
		out := r.turnTo(partText, `{"type":"message","id":"msg_%d","role":"assistant","status":"in_progress","content":[]}`)
		r.said = append(r.said, string(p.text))
		return out + r.event("response.output_text.delta", `"item_id":"msg_%d","output_index":%d,"content_index":0,"delta":%s,"logprobs":[]`, r.item, r.item, p.text)
	case partThinking:
		out := r.turnTo(partThinking, `{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"partial"}`)
		r.raw = append(r.raw, string(p.text))
		return out + r.event("response.reasoning_text.delta", `"item_id":"rs_%d","output_index":%d,"content_index":0,"delta":%s`, r.item, r.item, p.text)
	case partSummary:
		out := r.turnTo(partThinking, `{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"partial"}`)
		r.said = append(r.said, string(p.text))
		return out + r.event("response.reasoning_summary_text.delta", `"item_id":"rs_%d","output_index":%d,"summary_index":0,"delta":%s`, r.item, r.item, p.text)
	case partSignature:
		out := r.turnTo(partThinking, `{"type":"reasoning","id":"rs_%d","summary":[]}`)
		r.bytes = p.signature
		return out
	}
	return r.call(p)
}

func (r *responses) call(p Part) string {
	out := r.close() + r.event("response.output_item.added", `"output_index":%d,"item":{"type":"function_call","id":"fc_%d","call_id":%q,"name":%q,"arguments":"","status":"in_progress"}`,
		r.item, r.item, p.call.ID, p.call.Name)
	for _, piece := range p.pieces {
		out += r.event("response.function_call_arguments.delta", `"item_id":"fc_%d","output_index":%d,"delta":%s`, r.item, r.item, quote(piece))
	}
	whole := quote(strings.Join(p.pieces, ""))
	out += r.event("response.function_call_arguments.done", `"item_id":"fc_%d","output_index":%d,"arguments":%s`, r.item, r.item, whole)
	out += r.event("response.output_item.done", `"output_index":%d,"item":{"type":"function_call","id":"fc_%d","call_id":%q,"name":%q,"arguments":%s,"status":"completed"}`,
		r.item, r.item, p.call.ID, p.call.Name, whole)
	r.item++
	return out
}

// turnTo opens an item of kind unless one is open.
func (r *responses) turnTo(kind partKind, item string) string {
	if r.open && r.kind == kind {
		return ""
	}
	out := r.close()
	r.open, r.kind = true, kind
	return out + r.event("response.output_item.added", `"output_index":%d,"item":`+fmt.Sprintf(item, r.item), r.item)
}

// close ends the open item, repeating what it said, as the wire does.
func (r *responses) close() string {
	if !r.open {
		return ""
	}
	whole := joinLiterals(r.said)
	var out string
	if r.kind == partText {
		out = r.event("response.output_text.done", `"output_index":%d,"content_index":0,"text":%s`, r.item, whole) +
			r.event("response.output_item.done", `"output_index":%d,"item":{"type":"message","id":"msg_%d","role":"assistant","status":"completed","content":[{"type":"output_text","text":%s,"annotations":[]}]}`, r.item, r.item, whole)
	} else {
		out = r.event("response.output_item.done", `"output_index":%d,"item":{"type":"reasoning","id":"rs_%d","summary":%s,"content":%s,"encrypted_content":%q}`,
			r.item, r.item, reasoningParts("summary_text", r.said), reasoningParts("reasoning_text", r.raw), r.bytes)
	}
	r.open, r.said, r.raw, r.bytes = false, nil, nil, ""
	r.item++
	return out
}

func (r *responses) errorFrame(p Part) string {
	return frame("error", `{"type":"error","code":%q,"message":%s,"param":null}`, p.code, p.text)
}

func (r *responses) errorData(p Part) string {
	return r.event("response.failed", `"response":{"id":"resp_1","status":"failed","error":{"code":%q,"message":%s}}`, p.code, p.text)
}

func (r *responses) end() string {
	out := r.close()
	name, status, details := "response.completed", "completed", "null"
	switch r.stop {
	case model.StopEnd, model.StopTools, model.StopSequence:
	case model.StopTokens:
		name, status, details = "response.incomplete", "incomplete", `{"reason":"max_output_tokens"}`
	case model.StopRefused:
		name, status, details = "response.incomplete", "incomplete", `{"reason":"content_filter"}`
	default:
		name, status, details = "response.incomplete", "incomplete", fmt.Sprintf(`{"reason":%q}`, r.stop)
	}
	usage := "null"
	if u := r.usage; u != (model.Usage{}) {
		usage = fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
			u.Context(), u.CacheRead, u.CacheWrite, u.Output, u.Thinking, u.Context()+u.Output)
	}
	return out + r.event(name, `"response":{"id":"resp_1","object":"response","status":%q,"model":%q,"error":null,"incomplete_details":%s,"usage":%s}`, status, Model, details, usage)
}

// reasoningParts returns what a whole reasoning item says, as a list of at most one part.
func reasoningParts(kind string, pieces []string) string {
	if len(pieces) == 0 {
		return "[]"
	}
	return fmt.Sprintf(`[{"type":%q,"text":%s}]`, kind, joinLiterals(pieces))
}

// joinLiterals returns JSON strings joined to one.
func joinLiterals(literals []string) string {
	var all strings.Builder
	all.WriteByte('"')
	for _, l := range literals {
		all.WriteString(l[1 : len(l)-1])
	}
	all.WriteByte('"')
	return all.String()
}
