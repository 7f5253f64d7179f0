package extension

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// Server is the name of all extensions where the origin of a tool is shown.
const Server = "extension"

// Tools returns the tools that extensions offer now, in the order in which they were registered.
func (h *Host) Tools() []tool.Tool {
	var tools []tool.Tool
	for _, t := range h.Registered().Tools {
		tools = append(tools, &extensionTool{h, t})
	}
	return tools
}

// An extensionTool is a tool of an extension; a tool.Remote.
type extensionTool struct {
	host *Host
	is   RegisteredTool
}

func (t *extensionTool) Name() string           { return t.is.Name }
func (t *extensionTool) Description() string    { return t.is.Description }
func (t *extensionTool) Schema() jsontext.Value { return t.is.Parameters }

func (t *extensionTool) Origin() (server, name string) { return Server, t.is.Name }

// Prepare leaves the input as it is: the extension knows what it means.
func (t *extensionTool) Prepare(_ *tool.Env, input jsontext.Value) (tool.Call, error) {
	input = input.Clone()
	if err := input.Compact(); err != nil {
		return nil, err
	}
	return &call{t, input}, nil
}

// A call is a prepared call of an extension's tool.
type call struct {
	tool  *extensionTool
	input jsontext.Value // compact
}

func (c *call) Request() approval.Request {
	return approval.Request{Level: approval.Execute, Server: Server, Summary: brief(c.tool.is.Name+" "+string(c.input), maxLogLine), Trusted: true}
}

// Run calls the tool, and waits for its end, or that of ctx.
func (c *call) Run(ctx context.Context, hooks tool.Hooks) tool.Result {
	shown := ""
	params := struct {
		Name  string         `json:"name"`
		Call  event.CallID   `json:"call"`
		Input jsontext.Value `json:"input"`
	}{c.tool.is.Name, hooks.Call, c.input}
	var result Result
	err := c.tool.host.ask(ctx, question{
		method: "tool", params: params, patience: c.tool.host.options.Limits.Silence,
		update: func(partial jsontext.Value) {
			var p Result
			if json.Unmarshal(partial, &p, lenient.Get()) == nil {
				text := p.text()
				hooks.Output(strings.TrimPrefix(text, shown))
				shown = text
			}
		},
	}, &result)
	switch {
	case err != nil && ctx.Err() != nil:
		return tool.Failed("[interrupted]")
	case errors.Is(err, errGone):
		return tool.Failed("the extension of this tool has ended; whether the call had effects is not known")
	case err != nil:
		return tool.Failed(err.Error())
	}
	return result.toolResult()
}

// A Result is the result of a tool of an extension.
type Result struct {
	Content []Content      `json:"content"`
	Details jsontext.Value `json:"details,omitzero"` // for clients that show it
	IsError bool           `json:"isError,omitzero"`
}

// A Content is a piece of a Result: a text, or a picture in base64.
type Content struct {
	Type string `json:"type"`
	Text string `json:"text,omitzero"`
	Data string `json:"data,omitzero"`
	MIME string `json:"mimeType,omitzero"`
}

func (r Result) text() string {
	var texts []string
	for _, c := range r.Content {
		if c.Type == "text" {
			texts = append(texts, c.Text)
		}
	}
	return strings.ToValidUTF8(strings.Join(texts, "\n"), string(utf8.RuneError))
}

// toolResult returns the result for the model; its Reply is what the extension returned, unchanged.
func (r Result) toolResult() tool.Result {
	text := r.text()
	t := tool.Result{Text: text, IsError: r.IsError}
	if len(text) > tool.MaxText {
		t.Text, t.Full = clip(text, tool.MaxText), []byte(clip(text, tool.MaxFull))
	}
	for _, c := range r.Content {
		if c.Type != "image" {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(c.Data)
		if err != nil {
			t.Text += "\n[a picture that cannot be read]"
			continue
		}
		t.Images = append(t.Images, model.Image{MIME: c.MIME, Data: data})
	}
	if r.Details != nil {
		t.Reply, _ = json.Marshal(struct {
			Details jsontext.Value `json:"details"`
		}{r.Details}, lenient.Get())
	}
	return t
}

// clip returns the beginning and the end of a text that is too long.
func clip(text string, limit int) string {
	const gap = "\n[…]\n"
	if len(text) <= limit {
		return text
	}
	half := (limit - len(gap)) / 2
	head, tail := text[:half], text[len(text)-half:]
	return strings.ToValidUTF8(head, "") + gap + strings.ToValidUTF8(tail, "")
}
