package codex

import (
	"context"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
)

// This file offers the client's own tools to models: dynamic tools. The client runs them, in the process that has it.

// namespaceMark is between the namespace and the name of a tool, in the name that models call.
const namespaceMark = "__"

// clientServer stands for the client where calls have the server of their tool.
const clientServer = "client"

// splitName returns the namespace of a tool, if it has one, and its name there.
func splitName(name string) (namespace, tool string) {
	if namespace, tool, ok := strings.Cut(name, namespaceMark); ok {
		return namespace, tool
	}
	return "", name
}

// dynamicCalls are the calls of the client's tools that it runs. They are safe for concurrent use.
type dynamicCalls struct {
	mu      lock.Mutex
	results map[asked]chan engine.ClientResult
}

func (d *dynamicCalls) begin(a asked) <-chan engine.ClientResult {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.results == nil {
		d.results = map[asked]chan engine.ClientResult{}
	}
	result := make(chan engine.ClientResult, 1)
	d.results[a] = result
	return result
}

// end gives a call its result, if it still waits for one.
func (d *dynamicCalls) end(a asked, r engine.ClientResult) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if result := d.results[a]; result != nil {
		result <- r
		delete(d.results, a)
	}
}

// endAll fails the calls of a client that leaves.
func (d *dynamicCalls) endAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for a, result := range d.results {
		result <- engine.ClientResult{Text: "the client has left", IsError: true}
		delete(d.results, a)
	}
}

// offerTools offers the tools of a request to the models of a thread.
func (c *conn) offerTools(t *thread, specs []DynamicToolSpec) error {
	var tools []*engine.ClientTool
	for _, spec := range specs {
		switch s := spec.Value.(type) {
		case FunctionDynamicToolSpec:
			tools = append(tools, c.dynamicTool(t, s.Name, s.Description, s.InputSchema))
		case NamespaceDynamicToolSpec:
			for _, inner := range s.Tools {
				f, ok := inner.Value.(FunctionDynamicToolNamespaceTool)
				if ok {
					tools = append(tools, c.dynamicTool(t, s.Name+namespaceMark+f.Name, f.Description, f.InputSchema))
				}
			}
		}
	}
	if len(tools) == 0 {
		return nil
	}
	if err := t.client.UseTools(tools); err != nil {
		return invalid("dynamicTools: " + err.Error())
	}
	return nil
}

// dynamicTool returns a tool that the client runs. It decides itself what needs the user's approval.
func (c *conn) dynamicTool(t *thread, name, description string, schema []byte) *engine.ClientTool {
	return &engine.ClientTool{
		ToolName: name, About: description, Input: schema, Level: approval.Read,
		Handle: func(ctx context.Context, call engine.ClientCall) engine.ClientResult {
			return c.callClient(ctx, t, name, call)
		},
	}
}

// callClient sends a call to the client, and waits for its result or the end of ctx.
func (c *conn) callClient(ctx context.Context, t *thread, name string, call engine.ClientCall) engine.ClientResult {
	about := asked{t, pending{call: call.ID}}
	result := c.calls.begin(about)
	namespace, tool := splitName(name)
	params := DynamicToolCallParams{
		ThreadID: t.id, TurnID: string(t.session.State().Turn), CallID: string(call.ID), Namespace: nullString(namespace), Tool: tool, Arguments: call.Input,
	}
	t.pump.Reply(frames.AppendRequest(nil, c.asked.Add(about), "item/tool/call", marshal(params)))
	r := engine.ClientResult{Text: "the call was interrupted", IsError: true}
	select {
	case r = <-result:
	case <-ctx.Done():
		c.calls.end(about, r)
	}
	if id, ok := c.asked.Drop(about); ok {
		t.pump.Reply(c.announce("serverRequest/resolved", ServerRequestResolvedNotification{[]byte(id), t.id})...)
	}
	return r
}

// decideCall takes the client's answer to a call.
func (c *conn) decideCall(a asked, r response) {
	var answer DynamicToolCallResponse
	if !r.decode(&answer) {
		c.calls.end(a, engine.ClientResult{Text: "the client gave no result of the call", IsError: true})
		return
	}
	c.calls.end(a, resultOfCall(answer))
}

// resultOfCall returns what the model gets of a call.
func resultOfCall(answer DynamicToolCallResponse) engine.ClientResult {
	r := engine.ClientResult{IsError: !answer.Success}
	var texts []string
	for _, item := range answer.ContentItems {
		switch item := item.Value.(type) {
		case InputTextDynamicToolCallOutputContentItem:
			texts = append(texts, item.Text)
		case InputImageDynamicToolCallOutputContentItem:
			if image, ok := appserver.ImageOf(item.ImageURL); ok && appserver.IsImageURL(item.ImageURL) && image.Data != nil {
				r.Images = append(r.Images, model.Image{MIME: image.MIME, Data: image.Data})
			} else {
				texts = append(texts, "[image that cannot be shown]")
			}
		}
	}
	r.Text = strings.Join(texts, "\n")
	return r
}
