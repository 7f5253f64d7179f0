package tool

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

//go:embed write.md
var writeDescription string

const writeSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "File to write; relative to the workspace, absolute, or below ~/"},
		"content": {"type": "string", "description": "The whole new content of the file"}
	},
	"required": ["path", "content"],
	"additionalProperties": false
}`

// Write is the tool that makes a file, or replaces all of its content.
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
	return &writeCall{content: in.Content, edit: fileEdit{
		workspace: env.Workspace, path: path,
		rewrite: func(original) ([]byte, error) { return []byte(in.Content), nil },
	}}, nil
}

type writeCall struct {
	edit    fileEdit
	content string
}

func (c *writeCall) Request() approval.Request {
	return approval.Request{
		Level:   approval.Write,
		Paths:   []approval.Path{c.edit.path},
		Summary: fmt.Sprintf("write %s (%s)", shownName(c.edit.path.Shown), plural(len(c.content), "byte")),
	}
}

func (c *writeCall) Propose() ([]event.FileChange, error) { return c.edit.proposal("write") }

// Run writes all or nothing; it does not look at ctx, since it is short.
func (c *writeCall) Run(context.Context, Hooks) Result {
	change, err := c.edit.make()
	if err != nil {
		return c.edit.workspace.cannot("write", c.edit.path, err)
	}
	name, size := c.edit.name(), plural(len(c.content), "byte")
	if change == nil {
		return Result{Text: fmt.Sprintf("unchanged %s (%s)", name, size)}
	}
	return Result{
		Text:    fmt.Sprintf("%s %s (%s)", change.Op, name, size),
		Changes: []event.FileChange{*change},
	}
}
