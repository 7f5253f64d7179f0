package tool

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/background"
	"parley.dev/parley/internal/tool/environ"
)

//go:embed background_start.md
var backgroundStartDescription string

const backgroundStartSchema = `{
	"type": "object",
	"properties": {
		"command": {"type": "string", "minLength": 1, "description": "Shell text to run"},
		"dir": {"type": "string", "description": "Folder to run in, relative to the workspace; default: the workspace"},
		"name": {"type": "string", "maxLength": 100, "description": "A name for the command, which serves like its id while it runs"},
		"description": {"type": "string", "description": "What the command is for, in a few words for the user"}
	},
	"required": ["command"],
	"additionalProperties": false
}`

// BackgroundStart returns the tool that starts a background command.
func BackgroundStart() Tool { return backgroundStart{} }

type backgroundStart struct{}

func (backgroundStart) Name() string            { return "background_start" }
func (backgroundStart) Description() string     { return backgroundStartDescription }
func (backgroundStart) Schema() jsontext.Value  { return jsontext.Value(backgroundStartSchema) }
func (backgroundStart) Available(env *Env) bool { return env.Background != nil }

func (backgroundStart) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in struct {
		Command     string `json:"command"`
		Dir         string `json:"dir"`
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	if env.Background == nil {
		return nil, errNoBackground
	}
	if strings.ContainsRune(in.Command, 0) {
		return nil, errNUL
	}
	dir, err := env.commandDir(in.Dir)
	if err != nil {
		return nil, err
	}
	return &backgroundStartCall{env: env, summary: in.Description, command: &background.Command{
		Name: strings.TrimSpace(in.Name), Command: in.Command, Dir: dir,
	}}, nil
}

var errNoBackground = errors.New("this session has no background commands")

type backgroundStartCall struct {
	env     *Env
	summary string
	command *background.Command
}

func (c *backgroundStartCall) Request() approval.Request {
	r := commandRequest(c.command.Command, c.command.Dir)
	r.Summary = c.summary
	if r.Summary == "" {
		r.Summary = "run in the background: " + background.FirstLine(c.command.Command)
	}
	return r
}

func (c *backgroundStartCall) Run(ctx context.Context, hooks Hooks) Result {
	confine, err := c.env.policy(hooks.Sandbox)
	if err == nil {
		c.command.Confine, c.command.Call = confine, string(hooks.Call)
		c.command.Environ = environ.WithGitSettings(c.env.environ(confine), gitSettings(hooks.Granted)...)
		err = c.env.Background.Start(ctx, c.env.Spawner, c.command)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return Failed("[interrupted]")
	case err != nil:
		return Failed("the command could not be started: " + err.Error())
	}
	return Result{Text: "started " + c.command.Title()}
}

// commandRequest returns what a shell command in dir needs.
func commandRequest(command string, dir approval.Path) approval.Request {
	r := approval.Request{Level: approval.Execute, Command: command, Dir: dir.Path}
	if dir.Outside {
		r.Paths = []approval.Path{dir}
	}
	return r
}
