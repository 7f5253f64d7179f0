package tool

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/background"
)

//go:embed background_stop.md
var backgroundStopDescription string

const backgroundStopSchema = `{
	"type": "object",
	"properties": {
		"id": {"type": "string", "description": "The command's id or name"}
	},
	"required": ["id"],
	"additionalProperties": false
}`

// BackgroundStop returns the tool that ends a background command.
func BackgroundStop() Tool { return backgroundStop{} }

type backgroundStop struct{}

func (backgroundStop) Name() string            { return "background_stop" }
func (backgroundStop) Description() string     { return backgroundStopDescription }
func (backgroundStop) Schema() jsontext.Value  { return jsontext.Value(backgroundStopSchema) }
func (backgroundStop) Available(env *Env) bool { return env.Background != nil }

func (backgroundStop) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in struct {
		ID string `json:"id"`
	}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	if env.Background == nil {
		return nil, errNoBackground
	}
	command, err := env.Background.Find(in.ID)
	if err != nil {
		return nil, err
	}
	return &backgroundStopCall{command}, nil
}

type backgroundStopCall struct{ command *background.Command }

// Request is about the session's own: the command was approved, its end needs nothing more.
func (c *backgroundStopCall) Request() approval.Request {
	return approval.Request{Level: approval.Write, Summary: "stop " + c.command.Title()}
}

func (c *backgroundStopCall) Run(ctx context.Context, _ Hooks) Result {
	c.command.Stop(ctx)
	c.command.Reported()
	text := fmt.Sprintf("[%s %s]", c.command.ID, c.command.Status())
	if unread := c.command.Stdout.Unread() + c.command.Stderr.Unread(); unread > 0 {
		text = fmt.Sprintf("[%s not read]\n%s", background.Characters(unread), text)
	}
	return Result{Text: text, IsError: c.command.Running()}
}
