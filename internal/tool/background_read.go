package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/background"
)

//go:embed background_read.md
var backgroundReadDescription string

const backgroundReadSchema = `{
	"type": "object",
	"properties": {
		"id": {"type": "string", "description": "The command's id or name"},
		"stream": {"type": "string", "enum": ["both", "stdout", "stderr"], "description": "What to read; default both"},
		"max_chars": {"type": "integer", "minimum": 1, "maximum": 120000, "description": "Characters of each stream at most; default 8000"},
		"newest": {"type": "boolean", "description": "Skip to the newest output; default false"},
		"peek": {"type": "boolean", "description": "Leave the output unread; default false"},
		"wait_ms": {"type": "integer", "minimum": 0, "maximum": 600000, "description": "How long to wait for new output, in milliseconds; default 0"}
	},
	"required": ["id"],
	"additionalProperties": false
}`

// BackgroundRead returns the tool that shows a background command's output.
func BackgroundRead() Tool { return backgroundRead{} }

type backgroundRead struct{}

func (backgroundRead) Name() string            { return "background_read" }
func (backgroundRead) Description() string     { return backgroundReadDescription }
func (backgroundRead) Schema() jsontext.Value  { return jsontext.Value(backgroundReadSchema) }
func (backgroundRead) Available(env *Env) bool { return env.Background != nil }

type backgroundReadInput struct {
	ID       string `json:"id"`
	Stream   string `json:"stream"`
	MaxChars int    `json:"max_chars"`
	Newest   bool   `json:"newest"`
	Peek     bool   `json:"peek"`
	WaitMS   int64  `json:"wait_ms"`
}

func (backgroundRead) Prepare(env *Env, input jsontext.Value) (Call, error) {
	in := backgroundReadInput{Stream: "both", MaxChars: 8000}
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
	return &backgroundReadCall{command: command, input: in}, nil
}

type backgroundReadCall struct {
	command *background.Command
	input   backgroundReadInput
}

func (c *backgroundReadCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Summary: "read the output of " + c.command.Title()}
}

func (c *backgroundReadCall) Run(ctx context.Context, _ Hooks) Result {
	c.wait(ctx)
	c.command.Reported()
	status := c.command.Status() // before the output: when it has ended, all of that is there
	streams := c.streams()
	room := MaxText/len(streams) - noteRoom*len(streams)
	var text strings.Builder
	for _, s := range streams {
		got := s.Take(c.input.MaxChars, room, c.input.Newest, c.input.Peek)
		if got.Text == "" {
			continue
		}
		fmt.Fprintf(&text, "[%s]\n", s.name)
		if got.Missed > 0 {
			fmt.Fprintf(&text, "[%s before this left out]\n", background.Characters(got.Missed))
		}
		text.WriteString(got.Text)
		if !strings.HasSuffix(got.Text, "\n") {
			text.WriteByte('\n')
		}
		if got.Left > 0 {
			fmt.Fprintf(&text, "[%s more: read again]\n", background.Characters(got.Left))
		}
	}
	if text.Len() == 0 {
		text.WriteString("[no new output]\n")
	}
	fmt.Fprintf(&text, "[%s %s]", c.command.ID, status)
	return Result{Text: text.String()}
}

type namedRing struct {
	name string
	*background.Ring
}

// streams returns what the call reads.
func (c *backgroundReadCall) streams() []namedRing {
	stdout, stderr := namedRing{"stdout", &c.command.Stdout}, namedRing{"stderr", &c.command.Stderr}
	switch c.input.Stream {
	case "stdout":
		return []namedRing{stdout}
	case "stderr":
		return []namedRing{stderr}
	}
	return []namedRing{stdout, stderr}
}

// wait waits until there is something to read, the command has ended, or it has waited
// for long enough.
func (c *backgroundReadCall) wait(ctx context.Context) {
	if c.input.WaitMS == 0 {
		return
	}
	timer := time.NewTimer(time.Duration(c.input.WaitMS) * time.Millisecond)
	defer timer.Stop()
	for {
		news := c.command.Waiting()
		for _, s := range c.streams() {
			if s.Unread() > 0 {
				return
			}
		}
		select {
		case <-news:
		case <-c.command.Ended:
			return
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
