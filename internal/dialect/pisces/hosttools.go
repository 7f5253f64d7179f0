package pisces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire"
)

// This file contains the tools that the client runs. A call waits for its result without a time
// limit; an interrupt withdraws it, and the end of input interrupts the turn.

// hostTools is the tools of the client and their running calls.
type hostTools struct {
	c *conn

	mu      lock.Mutex
	tools   []*engine.ClientTool
	running map[string]*hostCall // by the ids of HostToolCalls
	closed  bool                 // the input has ended
}

// hostCall is a call that the client runs.
type hostCall struct {
	result chan engine.ClientResult // has room for the result
	output func(text string)
	shown  string // what was given to output
}

// set replaces the tools of the client.
func (h *hostTools) set(tools []HostTool) (HostTools, error) {
	names := []string{}
	var offered []*engine.ClientTool
	for _, t := range tools {
		name, description := strings.TrimSpace(t.Name), strings.TrimSpace(t.Description)
		names = append(names, name)
		if t.Hidden {
			continue
		}
		offered = append(offered, &engine.ClientTool{
			ToolName: name, About: description, Input: t.Parameters.Clone(),
			Handle: func(ctx context.Context, call engine.ClientCall) engine.ClientResult { return h.run(ctx, name, call) },
		})
	}
	if err := h.c.session.client.UseTools(offered); err != nil {
		return HostTools{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tools = offered
	return HostTools{names}, nil
}

// checkHostTools checks the tools of set_host_tools, as far as the session is not needed for that.
func checkHostTools(params any) error {
	p, ok := params.(SetHostTools)
	if !ok {
		return nil
	}
	for i, t := range p.Tools {
		field := wire.FieldPath("tools", index(i))
		switch {
		case strings.TrimSpace(t.Name) == "":
			return &wire.FieldError{Field: wire.FieldPath(field, "name"), Problem: "expected a text that is not empty"}
		case strings.TrimSpace(t.Description) == "":
			return &wire.FieldError{Field: wire.FieldPath(field, "description"), Problem: "expected a text that is not empty"}
		case t.Parameters.Kind() != jsontext.KindBeginObject:
			return &wire.FieldError{Field: wire.FieldPath(field, "parameters"), Problem: "expected an object"}
		}
	}
	return nil
}

// offer gives the tools to another session.
func (h *hostTools) offer(s *session) {
	h.mu.Lock()
	tools := h.tools
	h.mu.Unlock()
	if len(tools) == 0 {
		return
	}
	if err := s.client.UseTools(tools); err != nil {
		h.c.cfg.Log.Error("tools of the client not offered", "session", s.eng.ID(), "error", err)
	}
}

// run sends a call to the client and waits for the result, or for the end of ctx.
func (h *hostTools) run(ctx context.Context, name string, call engine.ClientCall) engine.ClientResult {
	running := &hostCall{result: make(chan engine.ClientResult, 1), output: call.Output}
	id := h.c.ext.newID()
	if !h.begin(id, running) {
		return failedHostCall("the client has closed its input: the tool was not run")
	}
	h.c.ext.show(HostToolCall{ID: id, ToolCallID: string(call.ID), ToolName: name, Arguments: call.Input})
	select {
	case r := <-running.result:
		return r
	case <-ctx.Done():
	}
	if h.end(id) == nil {
		return <-running.result // it came at the same time
	}
	h.c.ext.show(HostToolCancel{ID: h.c.ext.newID(), TargetID: id})
	return failedHostCall(fmt.Sprintf("interrupted: the client was asked to cancel %s; whether it had effects is unknown", name))
}

func failedHostCall(text string) engine.ClientResult {
	return engine.ClientResult{Text: text, IsError: true}
}

// begin adds a running call; false if the client cannot answer any more.
func (h *hostTools) begin(id string, call *hostCall) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	if h.running == nil {
		h.running = map[string]*hostCall{}
	}
	h.running[id] = call
	return true
}

// end removes a running call and returns it; nil if there is none of that id.
func (h *hostTools) end(id string) *hostCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	call := h.running[id]
	delete(h.running, id)
	return call
}

// finish ends a call with the result of the client. Results of calls that do not run are
// dropped: a HostToolCancel may have crossed them.
func (h *hostTools) finish(r HostToolResult) {
	call := h.end(r.ID)
	if call == nil {
		return
	}
	result := engine.ClientResult{Text: r.Result.text(), IsError: r.IsError}
	for _, raw := range r.Result.Content {
		if img, err := imageOf(raw); err == nil {
			result.Images = append(result.Images, img)
		}
	}
	if r.IsError {
		result.Text = cmp.Or(result.Text, "the tool failed without a text")
	}
	if r.Result.Details != nil {
		result.Reply = rawjson.Marshal(message.GivenDetails{Details: r.Result.Details})
	}
	call.result <- result
}

// fail ends a call whose result cannot be read.
func (h *hostTools) fail(id, problem string) {
	if call := h.end(id); call != nil {
		call.result <- failedHostCall("the result of the client cannot be read: " + problem)
	}
}

// update shows the result of a running call so far. Only the reader calls it.
func (h *hostTools) update(u HostToolUpdate) {
	h.mu.Lock()
	call := h.running[u.ID]
	h.mu.Unlock()
	if call == nil {
		return
	}
	text := u.PartialResult.text()
	more, longer := strings.CutPrefix(text, call.shown)
	if !longer {
		more = "\n" + text // another text: updates of the program only grow
	}
	call.shown = text
	if more != "" {
		call.output(more)
	}
}

// close ends the calls that run, since no result can come any more: it interrupts their turn.
func (h *hostTools) close() {
	h.mu.Lock()
	h.closed = true
	waiting := len(h.running) > 0
	h.mu.Unlock()
	if s := h.c.ext.now.Load(); s != nil && waiting {
		s.client.Interrupt()
	}
}

// text returns the texts of a result, a line each.
func (r HostResult) text() string {
	var texts []string
	for _, raw := range r.Content {
		var b message.RawBlock
		if json.Unmarshal(raw, &b, rawjson.Lenient...) == nil && b.Type == message.TypeText {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// check returns what is wrong with a result, field being its place in the line.
func (r HostResult) check(field string) error {
	if r.Content == nil {
		return &wire.FieldError{Field: wire.FieldPath(field, "content"), Problem: "expected a list of texts and images"}
	}
	for i, raw := range r.Content {
		place := wire.FieldPath(wire.FieldPath(field, "content"), index(i))
		obj, err := wire.ParseObject(raw, rawjson.Options)
		if err != nil {
			return &wire.FieldError{Field: place, Problem: "expected an object"}
		}
		kind, _ := obj.Get("type")
		value, _ := obj.Get("text")
		name, _ := rawjson.Text(kind)
		_, isText := rawjson.Text(value)
		switch {
		case name == message.TypeText && isText:
		case name == message.TypeImage:
			if _, err := imageOf(raw); err != nil {
				return &wire.FieldError{Field: place, Problem: err.Error()}
			}
		default:
			return &wire.FieldError{Field: place, Problem: "expected a text or an image"}
		}
	}
	return nil
}

// imageOf reads an image of a result.
func imageOf(raw []byte) (model.Image, error) {
	var img message.Image
	if err := json.Unmarshal(raw, &img, rawjson.Lenient...); err != nil {
		return model.Image{}, errors.New("not an image")
	}
	return img.Decoded()
}

// decodeHost reads a line of the client about a call of its tools. For a result that is refused
// it also returns a brokenHostResult: its call has to end.
func decodeHost(name string, obj wire.Object) (line any, refused *Response) {
	var err error
	if name == TypeHostToolUpdate {
		var u HostToolUpdate
		if err = obj.Decode(&u); err == nil {
			err = u.PartialResult.check("partialResult")
		}
		line = u
	} else {
		var r HostToolResult
		if err = obj.Decode(&r); err == nil {
			err = r.Result.check("result")
		}
		line = r
	}
	if err == nil {
		return line, nil
	}
	problem := inField(name, err).Error()
	if id, isText := rawjson.Text(idOf(obj)); isText && name == TypeHostToolResult {
		line = brokenHostResult{id, problem}
	} else {
		line = nil
	}
	return line, failed(command{id: idOf(obj), name: name}, problem)
}

// brokenHostResult is a result of the client that cannot be read.
type brokenHostResult struct{ id, problem string }

// take handles a line about a call of the client's tools; false if it is none. The client sees
// a refusal before the call ends because of it.
func (h *hostTools) take(line any, refused *Response) bool {
	switch l := line.(type) {
	case HostToolResult:
		h.finish(l)
	case HostToolUpdate:
		h.update(l)
	case brokenHostResult:
		h.c.ext.show(*refused)
		h.fail(l.id, l.problem)
	default:
		return false
	}
	return true
}
