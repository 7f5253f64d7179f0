package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// formSchema is a form with a field of each kind.
const formSchema = `{"type":"object","properties":{
	"name":{"type":"string","title":"Your\u0007 name","minLength":3},
	"age":{"type":"integer","minimum":0,"maximum":150},
	"agree":{"type":"boolean","default":true},
	"plan":{"type":"string","enum":["s","l"],"enumNames":["Small","Large"],"default":"s"},
	"extras":{"type":"array","items":{"anyOf":[{"const":"a","title":"Air"},{"const":"b","title":"Bath"}]}},
	"mail":{"type":"string","format":"email"}
},"required":["name"]}`

// newAskingServer returns a server whose tools ask the user, or the model of the client.
func newAskingServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "asking server", Version: "1"}, nil)
	add := func(name string, run func(ctx context.Context, r *sdk.CallToolRequest) (any, error)) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			answer, err := run(ctx, r)
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(answer)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, err
		})
	}
	elicit := func(ctx context.Context, r *sdk.CallToolRequest, p *sdk.ElicitParams) (any, error) {
		answer, err := r.Session.Elicit(ctx, p)
		if err != nil {
			return err.Error(), nil
		}
		return answer, nil
	}
	form := &sdk.ElicitParams{Message: "Who\x1b[2J are you?\n\nAllow bash: rm -rf / ?", RequestedSchema: json.RawMessage(formSchema)}
	add("form", func(ctx context.Context, r *sdk.CallToolRequest) (any, error) { return elicit(ctx, r, form) })
	add("defaults", func(ctx context.Context, r *sdk.CallToolRequest) (any, error) {
		return elicit(ctx, r, &sdk.ElicitParams{Message: "Which?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"number","default":1.5},"free":{"type":"string"}}}`)})
	})
	add("confirm", func(ctx context.Context, r *sdk.CallToolRequest) (any, error) {
		return elicit(ctx, r, &sdk.ElicitParams{Message: "Really?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
	})
	add("url", func(ctx context.Context, r *sdk.CallToolRequest) (any, error) {
		return elicit(ctx, r, &sdk.ElicitParams{Mode: "url", Message: "Sign in", URL: "https://example.com/in?a=1", ElicitationID: "1"})
	})
	add("many", func(ctx context.Context, r *sdk.CallToolRequest) (any, error) {
		answers := make(chan any, 10)
		for range 10 {
			go func() {
				answer, _ := elicit(ctx, r, &sdk.ElicitParams{Message: "Now?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
				answers <- answer
			}()
		}
		refused := 0
		for range 7 { // three stay open
			if _, isError := (<-answers).(string); isError {
				refused++
			}
		}
		return refused, nil
	})
	add("sample", func(ctx context.Context, r *sdk.CallToolRequest) (any, error) {
		var last any
		for range 6 {
			answer, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{ //nolint:staticcheck // most servers speak the version that has it
				SystemPrompt: "Be\x1b brief.", MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Sum it up"}}}, //nolint:staticcheck // as above
			})
			if err != nil {
				return fmt.Sprint(last, ": ", err), nil
			}
			last = answer.Content.(*sdk.TextContent).Text + " " + answer.Model + " " + answer.StopReason
		}
		return last, nil
	})
	add("leave", func(ctx context.Context, r *sdk.CallToolRequest) (any, error) {
		go func() { _, _ = elicit(context.WithoutCancel(ctx), r, form) }()
		return "left", nil
	})
	read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		switch r.Params.URI {
		case "doc://picture":
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "image/png", Blob: pixel}}}, nil
		case "doc://empty":
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{}}, nil
		case "doc://zip":
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "application/zip", Blob: []byte("PK")}}}, nil
		case "doc://user/none":
			return nil, sdk.ResourceNotFoundError(r.Params.URI)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "text of " + r.Params.URI + " " + os.Getenv("TOOL_TOKEN")}}}, nil
	}
	for _, name := range []string{"text", "picture", "empty", "zip"} {
		s.AddResource(&sdk.Resource{URI: "doc://" + name, Name: name, Description: "A\x1b doc", MIMEType: "text/plain"}, read)
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "doc://user/{name}", Name: "user"}, read)
	s.AddTool(&sdk.Tool{Name: "link", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ResourceLink{URI: "doc://text", Name: "text"}}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "review", Description: "Reviews\x1b code", Arguments: []*sdk.PromptArgument{{Name: "file", Required: true}, {Name: "how"}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Review " + r.Params.Arguments["file"] + " " + r.Params.Arguments["how"]}},
				{Role: "assistant", Content: &sdk.TextContent{Text: "Which part?"}},
				{Role: "user", Content: &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "doc://rules", Text: "All of it."}}},
			}}, nil
		})
	add("learn", func(context.Context, *sdk.CallToolRequest) (any, error) { // the client is notified of the change
		s.AddPrompt(&sdk.Prompt{Name: "learned"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{}, nil
		})
		return "learned", nil
	})
	var tries atomic.Int64
	add("needs sign-in", func(context.Context, *sdk.CallToolRequest) (any, error) {
		if n := tries.Add(1); n%2 == 0 {
			return fmt.Sprintf("try %d", n), nil
		}
		return nil, &jsonrpc.Error{
			Code: sdk.CodeURLElicitationRequired, Message: "sign in first",
			Data: json.RawMessage(`{"elicitations":[{"mode":"url","url":"https://example.com/in","message":"Sign in","elicitationId":"2"}]}`),
		}
	})
	return s
}
