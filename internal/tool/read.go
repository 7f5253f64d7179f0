package tool

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
)

//go:embed read.md
var readDescription string

const readSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "File to read; relative to the workspace, absolute, or below ~/"},
		"offset": {"type": "integer", "minimum": 0, "description": "First line to show, counted from 0; default 0"},
		"limit": {"type": "integer", "minimum": 1, "description": "How many lines to show at most; default: all that fit"},
		"line_numbers": {"type": "boolean", "description": "Put its number, counted from 1, and a tab before each line; default true"}
	},
	"required": ["path"],
	"additionalProperties": false
}`

// Read is the tool that shows a text file or an image.
func Read() Tool { return readTool{} }

type readTool struct{}

func (readTool) Name() string           { return "read" }
func (readTool) Description() string    { return readDescription }
func (readTool) Schema() jsontext.Value { return jsontext.Value(readSchema) }

type readInput struct {
	Path        string `json:"path"`
	Offset      int    `json:"offset"`
	Limit       int    `json:"limit"` // 0: none
	LineNumbers bool   `json:"line_numbers"`
}

func (readTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	in := readInput{LineNumbers: true}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	path, err := env.Workspace.Resolve(in.Path, false)
	if err != nil {
		return nil, err
	}
	return &readCall{workspace: env.Workspace, path: path, input: in}, nil
}

type readCall struct {
	workspace *Workspace
	path      approval.Path
	input     readInput
}

func (c *readCall) Request() approval.Request {
	return approval.Request{
		Level:   approval.Read,
		Paths:   []approval.Path{c.path},
		Summary: "read " + shownName(c.path.Shown),
	}
}

func (c *readCall) Run(ctx context.Context, _ Hooks) Result {
	file, err := c.workspace.Open(c.path)
	if errors.Is(err, errNotFile) && c.workspace.isFolder(c.path) {
		return Failed(fmt.Sprintf("%s is a folder, not a file: list it instead", shownName(c.path.Shown)))
	}
	if err != nil {
		return c.workspace.cannot("read", c.path, err)
	}
	defer file.Close()
	result, err := c.show(ctx, file)
	if err != nil {
		return c.workspace.cannot("read", c.path, err)
	}
	return result
}

// show makes a Result of what kind of file it is.
func (c *readCall) show(ctx context.Context, file *os.File) (Result, error) {
	in := bufio.NewReaderSize(&cancelReader{ctx, file}, 64<<10)
	head, _ := in.Peek(sniffed) // an error shows up again when the file is read
	kind := detect(head)
	switch {
	case isImage(kind):
		return readImage(in, kind, c.path.Shown)
	case kind != "":
		info, err := file.Stat()
		if err != nil {
			return Result{}, err
		}
		return Failed(fmt.Sprintf("%s is a binary file (%s, %s) and cannot be shown as text",
			shownName(c.path.Shown), kind, plural(int(info.Size()), "byte"))), nil
	}
	return readText(in, c.input)
}

// isFolder is whether p is a folder now.
func (w *Workspace) isFolder(p approval.Path) bool {
	dir, err := w.OpenFolder(p)
	if err != nil {
		return false
	}
	dir.Close()
	return true
}
