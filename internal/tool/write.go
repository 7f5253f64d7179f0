package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/textedit"
	"parley.dev/parley/internal/tool/workspace"
)

//go:embed write.md
var writeDescription string

const writeSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string"},
		"content": {"type": "string"}
	},
	"required": ["path", "content"],
	"additionalProperties": false
}`

// Write returns the tool that makes a file, or replaces all of its content.
func Write() Tool { return writeTool{} }

type writeTool struct{}

func (writeTool) Name() string           { return "write" }
func (writeTool) Description() string    { return writeDescription }
func (writeTool) Schema() jsontext.Value { return jsontext.Value(writeSchema) }

type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (writeTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in writeInput
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	path, err := env.Workspace.Resolve(in.Path, true)
	if err != nil {
		return nil, err
	}
	call := &writeCall{content: in.Content}
	call.edit = fileEdit{workspace: env.Workspace, known: env.Known, path: path, rewrite: call.rewrite}
	return call, nil
}

type writeCall struct {
	edit    fileEdit
	content string
	wasCRLF bool // the lines of the file ended in CRLF, and those of content end in LF
}

// rewrite refuses to replace what the model does not know.
func (c *writeCall) rewrite(old original) ([]byte, error) {
	if data := []byte(c.content); old.is(data) {
		return data, nil
	}
	c.wasCRLF = textedit.AllCRLF(string(old.data)) && strings.Contains(c.content, "\n") && !strings.Contains(c.content, "\r\n")
	return []byte(c.content), c.edit.known.check(c.edit.path.Path, old)
}

func (c *writeCall) Request() approval.Request {
	return approval.Request{
		Level:   approval.Write,
		Paths:   []approval.Path{c.edit.path},
		Summary: fmt.Sprintf("write %s (%s)", workspace.DisplayName(c.edit.path.Shown), plural(len(c.content), "byte")),
	}
}

func (c *writeCall) Propose(ctx context.Context, client ClientFiles) ([]event.FileChange, error) {
	return c.edit.proposal(ctx, client, "write")
}

func (c *writeCall) Preview(ctx context.Context, client ClientFiles) []approval.FileEffect {
	return c.edit.preview(ctx, client)
}

// Run writes all or nothing. Only the client is waited for until ctx ends.
func (c *writeCall) Run(ctx context.Context, hooks Hooks) Result {
	change, err := c.edit.make(ctx, hooks)
	if err != nil {
		return cannot(c.edit.workspace, "write", c.edit.path, err)
	}
	c.edit.known.set(c.edit.path.Path, original{data: []byte(c.content), exists: true}.fingerprint())
	name, size := c.edit.name(), plural(len(c.content), "byte")
	if change == nil {
		return Result{Text: fmt.Sprintf("unchanged %s (%s)", name, size)}
	}
	text := fmt.Sprintf("%s %s (%s)", change.Op, name, size)
	if c.wasCRLF {
		text += "; its lines ended in CRLF before, and now they end in LF"
	}
	return Result{
		Text:    text,
		Changes: []event.FileChange{*change},
	}
}
