package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/textedit"
	"parley.dev/parley/internal/tool/workspace"
)

//go:embed edit.md
var editDescription string

const editSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string"},
		"old": {"type": "string", "description": "Text to replace"},
		"new": {"type": "string", "description": "Text to put there"},
		"replace_all": {"type": "boolean", "description": "Replace every occurrence; default false"},
		"edits": {
			"type": "array",
			"minItems": 1,
			"items": {
				"type": "object",
				"properties": {
					"old": {"type": "string"},
					"new": {"type": "string"},
					"replace_all": {"type": "boolean"}
				},
				"required": ["old", "new"],
				"additionalProperties": false
			}
		}
	},
	"required": ["path"],
	"additionalProperties": false
}`

// Edit returns the tool that replaces exact pieces of a file's text.
func Edit() Tool { return editTool{} }

type editTool struct{}

func (editTool) Name() string           { return "edit" }
func (editTool) Description() string    { return editDescription }
func (editTool) Schema() jsontext.Value { return jsontext.Value(editSchema) }

type editInput struct {
	Path       string          `json:"path"`
	Old        *string         `json:"old"`
	New        *string         `json:"new"`
	ReplaceAll bool            `json:"replace_all"`
	Edits      []textedit.Edit `json:"edits"`
}

// replacements returns what the input asks for, in order.
func (in *editInput) replacements() ([]textedit.Edit, error) {
	if len(in.Edits) > 0 && in.Old != nil && in.New != nil && *in.Old == "" && *in.New == "" {
		in.Old, in.New, in.ReplaceAll = nil, nil, false // filled in by models that fill in everything
	}
	single := in.Old != nil || in.New != nil || in.ReplaceAll
	switch {
	case single && len(in.Edits) > 0:
		return nil, errors.New("give either old and new, or edits, not both")
	case len(in.Edits) > 0:
		return in.Edits, nil
	case in.Old == nil || in.New == nil:
		return nil, errors.New("give both old and new, or a list of edits")
	}
	return []textedit.Edit{{Old: *in.Old, New: *in.New, ReplaceAll: in.ReplaceAll}}, nil
}

func (editTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in editInput
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	edits, err := in.replacements()
	if err != nil {
		return nil, err
	}
	for i, edit := range edits {
		if edit.Old == edit.New {
			return nil, fmt.Errorf("%sold and new are the same text", textedit.Label(i, len(edits)))
		}
	}
	path, err := env.Workspace.Resolve(in.Path, true)
	if err != nil {
		return nil, err
	}
	call := &editCall{edits: edits}
	call.edit = fileEdit{workspace: env.Workspace, known: env.Known, path: path, rewrite: call.rewrite}
	return call, nil
}

type editCall struct {
	edit  fileEdit
	edits []textedit.Edit
	made  int // replacements
	notes []string
}

func (c *editCall) Request() approval.Request {
	return approval.Request{
		Level:   approval.Write,
		Paths:   []approval.Path{c.edit.path},
		Summary: "edit " + workspace.DisplayName(c.edit.path.Shown),
	}
}

func (c *editCall) rewrite(old original) ([]byte, error) {
	switch {
	case old.huge:
		return nil, fmt.Errorf("it is larger than %d MiB", maxKept>>20)
	case !old.exists && c.edits[0].Old != "":
		return nil, errors.New(missingFile(c.edit.workspace, c.edit.path))
	}
	text, n, notes, err := textedit.Apply(string(old.data), c.edits)
	c.made, c.notes = n, notes
	return []byte(text), err
}

func (c *editCall) Propose(ctx context.Context, client ClientFiles) ([]event.FileChange, error) {
	return c.edit.proposal(ctx, client, "edit")
}

func (c *editCall) Preview(ctx context.Context, client ClientFiles) []approval.FileEffect {
	return c.edit.preview(ctx, client)
}

// Run edits all or nothing. Only the client is waited for until ctx ends.
func (c *editCall) Run(ctx context.Context, hooks Hooks) Result {
	change, err := c.edit.make(ctx, hooks)
	if err != nil {
		return cannot(c.edit.workspace, "edit", c.edit.path, err)
	}
	result := Result{Text: fmt.Sprintf("unchanged %s: the file has that text already", c.edit.name())}
	if change != nil {
		result.Text = fmt.Sprintf("edited %s (%s)", c.edit.name(), plural(c.made, "replacement"))
		result.Changes = []event.FileChange{*change}
	}
	for _, note := range c.notes {
		result.Text += "\n[" + note + "]"
	}
	return result
}

// plural is "1 noun" or "n nouns".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
