package tool

import (
	"context"
	_ "embed"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/background"
)

//go:embed background_list.md
var backgroundListDescription string

const backgroundListSchema = `{
	"type": "object",
	"properties": {
		"ended": {"type": "boolean", "description": "List commands that have ended too; default false"}
	},
	"additionalProperties": false
}`

// BackgroundList returns the tool that lists background commands.
func BackgroundList() Tool { return backgroundList{} }

type backgroundList struct{}

func (backgroundList) Name() string            { return "background_list" }
func (backgroundList) Description() string     { return backgroundListDescription }
func (backgroundList) Schema() jsontext.Value  { return jsontext.Value(backgroundListSchema) }
func (backgroundList) Available(env *Env) bool { return env.Background != nil }

func (backgroundList) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in struct {
		Ended bool `json:"ended"`
	}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	if env.Background == nil {
		return nil, errNoBackground
	}
	return &backgroundListCall{env.Background, in.Ended}, nil
}

type backgroundListCall struct {
	background *background.Commands
	ended      bool
}

func (c *backgroundListCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Summary: "list the background commands"}
}

func (c *backgroundListCall) Run(context.Context, Hooks) Result {
	out := listing{max: background.MaxRunning + background.MaxEnded + 1}
	for _, command := range c.background.List() {
		if !command.Running() && !c.ended {
			continue
		}
		command.Reported()
		line := command.Title() + " [" + command.Status() + "]"
		if unread := command.Stdout.Unread() + command.Stderr.Unread(); unread > 0 {
			line += " [" + background.Characters(unread) + " not read]"
		}
		out.add(line)
	}
	return out.result("there are no background commands")
}
