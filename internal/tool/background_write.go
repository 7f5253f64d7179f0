package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
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

// typeLimit is how long a command may take to read what is typed: a pipe takes 64 KiB by itself.
const typeLimit = 10 * time.Second

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
	command, err := env.Background.find(in.ID)
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
	command *backgroundCommand
	text    string
	close   bool
}

// Request has the command and the text as if they were one: what is typed into a shell is
// a command too, and has to get past the same rules.
func (c *backgroundWriteCall) Request() approval.Request {
	if c.text == "" {
		return approval.Request{Level: approval.Write, Summary: "end the input of " + c.command.title()}
	}
	r := commandRequest(c.command.command+"\n"+c.text, c.command.dir)
	r.Summary = fmt.Sprintf("type %q into %s", firstLineOf(c.text), c.command.title())
	return r
}

func (c *backgroundWriteCall) Run(ctx context.Context, hooks Hooks) Result {
	confine, err := c.env.policy(hooks.Sandbox)
	if err != nil {
		return Failed("nothing was typed: " + err.Error())
	}
	if c.text != "" && !mayReach(c.command.confine, confine) {
		return Failed("nothing was typed: the command was started under other limits than hold for this call; stop it, and start it again")
	}
	n, err := c.command.write(ctx, c.text)
	if err != nil {
		return Failed(fmt.Sprintf("%s of %d typed into %s: %s", plural(n, "byte"), len(c.text), c.command.id, c.command.stdinTrouble(ctx, err)))
	}
	text := fmt.Sprintf("%s typed into %s", plural(n, "byte"), c.command.id)
	if c.close {
		c.command.closeStdin()
		text += ", its input is at its end"
	}
	return Result{Text: text}
}

// write types text and says how much of it was taken, at most for typeLimit.
func (c *backgroundCommand) write(ctx context.Context, text string) (n int, err error) {
	c.typing.Lock()
	defer c.typing.Unlock()
	if text == "" {
		return 0, nil
	}
	_ = c.stdin.SetWriteDeadline(time.Now().Add(typeLimit)) // a closed one says so below
	late := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(late)
		_ = c.stdin.SetWriteDeadline(time.Unix(1, 0))
	})
	n, err = c.stdin.WriteString(text)
	if !stop() {
		<-late
	}
	return n, err
}

// stdinTrouble returns in words why something could not be typed.
func (c *backgroundCommand) stdinTrouble(ctx context.Context, err error) string {
	switch {
	case ctx.Err() != nil:
		return "interrupted"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "the command does not read its input"
	case c.running():
		return "the command's input is closed"
	}
	return "the command has ended: " + c.status()
}
