package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
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
	command, err := env.Background.find(in.ID)
	if err != nil {
		return nil, err
	}
	return &backgroundReadCall{command: command, input: in}, nil
}

type backgroundReadCall struct {
	command *backgroundCommand
	input   backgroundReadInput
}

func (c *backgroundReadCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Summary: "read the output of " + c.command.title()}
}

func (c *backgroundReadCall) Run(ctx context.Context, _ Hooks) Result {
	c.wait(ctx)
	c.command.reported()
	status := c.command.status() // before the output: when it has ended, all of that is there
	streams := c.streams()
	room := MaxText/len(streams) - noteRoom*len(streams)
	var text strings.Builder
	for _, s := range streams {
		got := s.take(c.input.MaxChars, room, c.input.Newest, c.input.Peek)
		if got.text == "" {
			continue
		}
		fmt.Fprintf(&text, "[%s]\n", s.name)
		if got.missed > 0 {
			fmt.Fprintf(&text, "[%s before this left out]\n", characters(got.missed))
		}
		text.WriteString(got.text)
		if !strings.HasSuffix(got.text, "\n") {
			text.WriteByte('\n')
		}
		if got.left > 0 {
			fmt.Fprintf(&text, "[%s more: read again]\n", characters(got.left))
		}
	}
	if text.Len() == 0 {
		text.WriteString("[no new output]\n")
	}
	fmt.Fprintf(&text, "[%s %s]", c.command.id, status)
	return Result{Text: text.String()}
}

func characters(n int64) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}

type namedRing struct {
	name string
	*ring
}

// streams returns what the call reads.
func (c *backgroundReadCall) streams() []namedRing {
	stdout, stderr := namedRing{"stdout", &c.command.stdout}, namedRing{"stderr", &c.command.stderr}
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
		news := c.command.waiting()
		for _, s := range c.streams() {
			if s.unread() > 0 {
				return
			}
		}
		select {
		case <-news:
		case <-c.command.ended:
			return
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
