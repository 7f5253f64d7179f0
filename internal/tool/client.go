package tool

import (
	"cmp"
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool/output"
)

// ClientServer is the name of the server that the calls of a ClientTool are recorded with.
const ClientServer = "client"

// A ClientTool is a tool that the client of a session runs. It is a Remote.
type ClientTool struct {
	ToolName string // as models call it
	About    string // the description for models
	Input    jsontext.Value
	// Level is how much a call may change; 0: it may do anything, since what the client does is not known here.
	Level approval.Level
	// Handle runs a call. It returns soon after ctx has ended. Calls may run at the same time.
	Handle func(ctx context.Context, call ClientCall) ClientResult
}

// A ClientCall is a call of a ClientTool.
type ClientCall struct {
	ID    event.CallID
	Input jsontext.Value // fits the schema
	// Output shows more of what the call writes, while it runs.
	Output func(text string)
}

// A ClientResult is the result of a ClientCall.
type ClientResult struct {
	Text    string
	Images  []model.Image
	IsError bool
	Reply   jsontext.Value // an object for clients, recorded with the call; nil: none
}

// Name returns ToolName.
func (t *ClientTool) Name() string { return t.ToolName }

// Description returns About.
func (t *ClientTool) Description() string { return t.About }

// Schema returns Input.
func (t *ClientTool) Schema() jsontext.Value { return t.Input }

// Origin returns ClientServer and the name of the tool.
func (t *ClientTool) Origin() (server, name string) { return ClientServer, t.ToolName }

// Prepare leaves the input as it is.
func (t *ClientTool) Prepare(_ *Env, input jsontext.Value) (Call, error) {
	return &clientCall{t, input.Clone()}, nil
}

type clientCall struct {
	tool  *ClientTool
	input jsontext.Value
}

// Request returns what the client says of the tool.
func (c *clientCall) Request() approval.Request {
	summary, _ := output.Clip(c.tool.ToolName+" "+string(c.input), maxClientSummary)
	return approval.Request{Level: cmp.Or(c.tool.Level, approval.Execute), Server: ClientServer, Summary: summary, Trusted: true}
}

// maxClientSummary is the limit of the summary of a call, in bytes.
const maxClientSummary = 400

// Run sends the call to the client and waits for its result.
func (c *clientCall) Run(ctx context.Context, hooks Hooks) Result {
	r := c.tool.Handle(ctx, ClientCall{ID: hooks.Call, Input: c.input, Output: hooks.Output})
	result := Result{Images: r.Images, IsError: r.IsError, Reply: r.Reply}
	text := strings.ToValidUTF8(r.Text, "\uFFFD")
	if len(text) > MaxText {
		full, _ := output.Clip(text, MaxFull)
		result.Full = []byte(full)
	}
	result.Text, _ = output.Clip(text, MaxText)
	return result
}
