package openai

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// A responsesAnswer decodes the events of one answer.
type responsesAnswer struct {
	items []responseOpen // by output index
	last  int            // index of the item that was added last
}

// A responseOpen is an output item that may grow.
type responseOpen struct {
	kind  string // of the item; "": not seen
	block int    // of a reasoning item: the first of up to two

	summary, thought reasoningText // of a reasoning item
}

// Decode takes one event. The last one holds the whole response, of which only what was
// not streamed is used.
func (r *responsesAnswer) Decode(e sse.Event, to *sse.Answer) (bool, error) {
	if e.Name == "error" {
		return false, sse.NewFault(e.Data)
	}
	if string(e.Data) == "[DONE]" {
		return false, nil // gateways; without the last event it is a cut stream
	}
	var ev responseEvent
	if err := json.Unmarshal(e.Data, &ev, sse.Lenient); err != nil {
		return false, err
	}
	switch ev.Type {
	case "response.output_text.delta":
		return false, r.text(&ev, to)
	case "response.refusal.delta":
		to.Stop = model.StopRefused
		return false, r.text(&ev, to)
	case "response.reasoning_summary_text.delta":
		return false, r.reason(&ev, true, ev.SummaryIndex, to)
	case "response.reasoning_text.delta":
		return false, r.reason(&ev, false, ev.ContentIndex, to)
	case "response.function_call_arguments.delta":
		return false, r.input(&ev, to)
	case "response.output_item.added":
		r.item(&ev, ev.Item.Type, to)
	case "response.output_item.done":
		return false, r.itemDone(&ev, to)
	case "response.completed", "response.incomplete":
		return true, r.end(ev.Response, ev.Type == "response.incomplete", to)
	case "response.failed":
		return false, failed(&ev, e.Data)
	case "error":
		return false, sse.NewFault(e.Data)
	case "":
		if ev.Object == "response" {
			return true, r.whole(e.Data, to)
		}
		fallthrough
	default:
		if kind := ev.Error.Kind(); kind == '{' || kind == '"' {
			return false, sse.NewFault(e.Data)
		}
	}
	return false, nil
}

// End: only the last event says how the answer ended.
func (r *responsesAnswer) End(*sse.Answer) error {
	return errors.New("the stream ended without its last event")
}

// item returns the open item that ev is about, begun if need be. Without an index it is the
// last one. Items of kinds we do not know get no block and no deltas.
func (r *responsesAnswer) item(ev *responseEvent, kind string, to *sse.Answer) *responseOpen {
	if ev.OutputIndex != nil && *ev.OutputIndex >= 0 && *ev.OutputIndex < 1<<16 {
		r.last = *ev.OutputIndex
	} else if ev.Type == "response.output_item.added" {
		r.last = len(r.items)
	}
	for len(r.items) <= r.last {
		r.items = append(r.items, responseOpen{})
	}
	open := &r.items[r.last]
	if open.kind != "" {
		return open
	}
	open.kind = kind
	switch kind {
	case "function_call":
		open.block = to.Call(ev.Item.CallID, ev.Item.Name)
	case "message", "reasoning":
		open.block = to.Open()
	}
	return open
}

// grow returns the open item of the kind that a delta is for.
func (r *responsesAnswer) grow(ev *responseEvent, kind string, to *sse.Answer) (*responseOpen, error) {
	open := r.item(ev, kind, to)
	if open.kind != kind {
		return nil, fmt.Errorf("%s for an item of type %q", ev.Type, open.kind)
	}
	return open, nil
}

func (r *responsesAnswer) text(ev *responseEvent, to *sse.Answer) error {
	open, err := r.grow(ev, "message", to)
	if err != nil {
		return err
	}
	return to.Text(open.block, ev.Delta)
}

func (r *responsesAnswer) input(ev *responseEvent, to *sse.Answer) error {
	open, err := r.grow(ev, "function_call", to)
	if err != nil {
		return err
	}
	return to.Input(open.block, ev.Delta)
}

// itemDone takes what an item had to say and did not stream, and its signature.
func (r *responsesAnswer) itemDone(ev *responseEvent, to *sse.Answer) error {
	open := r.item(ev, ev.Item.Type, to)
	switch open.kind {
	case "function_call":
		if to.Size(open.block) == 0 {
			return to.Input(open.block, ev.Item.Arguments)
		}
	case "message":
		if to.Size(open.block) == 0 {
			return wholeText(open.block, ev.Item.Content, to)
		}
	case "reasoning":
		return open.reasoned(&ev.Item, to)
	}
	return nil
}

func wholeText(block int, content []responsePart, to *sse.Answer) error {
	for _, part := range content {
		if says(part.Refusal) {
			to.Stop = model.StopRefused
		}
		if err := errors.Join(to.Text(block, part.Text), to.Text(block, part.Refusal)); err != nil {
			return err
		}
	}
	return nil
}

// whole takes an answer that comes in one piece.
func (r *responsesAnswer) whole(data []byte, to *sse.Answer) error {
	var s responseState
	if err := json.Unmarshal(data, &s, sse.Lenient); err != nil {
		return err
	}
	for i, item := range s.Output {
		if err := r.itemDone(&responseEvent{OutputIndex: &i, Item: item}, to); err != nil {
			return err
		}
	}
	return r.end(&s, false, to)
}

// end takes what the last event says of the whole answer.
func (r *responsesAnswer) end(s *responseState, incomplete bool, to *sse.Answer) error {
	if s == nil {
		return errors.New("the last event holds no response")
	}
	to.Model = s.Model
	if s.Usage != nil {
		to.Usage = s.Usage.usage()
	}
	reason := ""
	switch {
	case s.Status == "failed", s.Status == "cancelled":
		reason = s.Status
	case s.Status == "incomplete", incomplete:
		reason = cmp.Or(s.IncompleteDetails.Reason, "incomplete")
	}
	stop, err := sse.StopOf(reason)
	if stop != "" {
		to.Stop = stop
	}
	return err
}

// failed returns the failure that ends an answer.
func failed(ev *responseEvent, data []byte) error {
	if ev.Response != nil && ev.Response.Error.Kind() == '{' {
		return sse.NewFault(ev.Response.Error)
	}
	return sse.NewFault(data)
}
