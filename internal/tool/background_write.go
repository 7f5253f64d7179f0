package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/background"
)

//go:embed background_write.md
var backgroundWriteDescription string

const backgroundWriteSchema = `{
	"type": "object",
	"properties": {
		"id": {"type": "string", "description": "The command's id or name"},
		"input": {"type": "string", "description": "Text to type; default: none"},
		"newline": {"type": "boolean", "description": "Add a newline; default true, but for a close without input"},
		"close": {"type": "boolean", "description": "End the command's input behind the text; default false"}
	},
	"required": ["id"],
	"additionalProperties": false
}`

// BackgroundWrite returns the tool that types into a background command.
func BackgroundWrite() Tool { return backgroundWrite{} }

type backgroundWrite struct{}

func (backgroundWrite) Name() string            { return "background_write" }
func (backgroundWrite) Description() string     { return backgroundWriteDescription }
func (backgroundWrite) Schema() jsontext.Value  { return jsontext.Value(backgroundWriteSchema) }
func (backgroundWrite) Available(env *Env) bool { return env.Background != nil }

func (backgroundWrite) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in struct {
		ID      string `json:"id"`
		Input   string `json:"input"`
		Newline *bool  `json:"newline"`
		Close   bool   `json:"close"`
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
	call := &backgroundWriteCall{env: env, command: command, text: in.Input, close: in.Close}
	newline := in.Input != "" || !in.Close
	if in.Newline != nil {
		newline = *in.Newline
	}
	if newline {
		call.text += "\n"
	}
	if call.text == "" && !call.close {
		return nil, errors.New("there is nothing to type: give an input, newline or close")
	}
	return call, nil
}

type backgroundWriteCall struct {
	env     *Env
	command *background.Command
	text    string
	close   bool
}

// Request has the command and the text as if they were one: what is typed into a shell is
// a command too, and has to get past the same rules.
func (c *backgroundWriteCall) Request() approval.Request {
	if c.text == "" {
		return approval.Request{Level: approval.Write, Summary: "end the input of " + c.command.Title()}
	}
	r := commandRequest(c.command.Command+"\n"+c.text, c.command.Dir)
	r.Summary = fmt.Sprintf("type %q into %s", background.FirstLine(c.text), c.command.Title())
	return r
}

func (c *backgroundWriteCall) Run(ctx context.Context, hooks Hooks) Result {
	confine, err := c.env.policy(hooks.Sandbox)
	if err != nil {
		return Failed("nothing was typed: " + err.Error())
	}
	if c.text != "" && !background.MayReach(c.command.Confine, confine) {
		return Failed("nothing was typed: the command was started under other limits than hold for this call; stop it, and start it again")
	}
	n, err := c.command.Write(ctx, c.text)
	if err != nil {
		return Failed(fmt.Sprintf("%s of %d typed into %s: %s", plural(n, "byte"), len(c.text), c.command.ID, c.command.StdinTrouble(ctx, err)))
	}
	text := fmt.Sprintf("%s typed into %s", plural(n, "byte"), c.command.ID)
	if c.close {
		c.command.CloseStdin()
		text += ", its input is at its end"
	}
	return Result{Text: text}
}
