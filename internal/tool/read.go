package tool

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/tool/workspace"
)

//go:embed read.md
var readDescription string

const readSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "Relative to the workspace, absolute, or below ~/"},
		"offset": {"type": "integer", "minimum": 0, "description": "First line; default 1"},
		"limit": {"type": "integer", "minimum": 1, "description": "Number of lines; default 2000"},
		"line_numbers": {"type": "boolean", "description": "Show line numbers; default true"}
	},
	"required": ["path"],
	"additionalProperties": false
}`

// Read returns the tool that shows a text file or an image, and lists a folder.
func Read() Tool { return readTool{} }

type readTool struct{}

func (readTool) Name() string           { return "read" }
func (readTool) Description() string    { return readDescription }
func (readTool) Schema() jsontext.Value { return jsontext.Value(readSchema) }

// OfferedSchema leaves out what the tools of protocols need.
func (readTool) OfferedSchema(*Env) jsontext.Value { return offeredRead.Get() }

var offeredRead = lazy.Value[jsontext.Value]{New: func() jsontext.Value { return schemaWithout(readSchema, "line_numbers") }}

type readInput struct {
	Path        string `json:"path"`
	Offset      int    `json:"offset"`
	Limit       int    `json:"limit"` // 0: Limits.ReadLines
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
	return &readCall{workspace: env.Workspace, known: env.Known, limits: env.Limits, from: env.firstOffset(), path: path, input: in}, nil
}

type readCall struct {
	workspace *workspace.Workspace
	known     *KnownFiles
	limits    Limits
	from      int // the offset of the first line
	path      approval.Path
	input     readInput
}

func (c *readCall) Request() approval.Request {
	return approval.Request{
		Level:   approval.Read,
		Paths:   []approval.Path{c.path},
		Summary: "read " + workspace.DisplayName(c.path.Shown),
	}
}

// Run shows a text as the client has it, and everything else as it is on our own disk.
func (c *readCall) Run(ctx context.Context, hooks Hooks) Result {
	result, err := c.read(ctx, hooks)
	if err != nil {
		return cannot(c.workspace, "read", c.path, err)
	}
	return result
}

func (c *readCall) read(ctx context.Context, hooks Hooks) (Result, error) {
	content, ok, err := hooks.Files.text(ctx, c.workspace, c.path)
	switch {
	case err != nil:
		return Result{}, err
	case ok:
		c.known.set(c.path.Path, content.fingerprint())
		return c.readText(bufio.NewReader(bytes.NewReader(content.data)))
	}
	file, err := c.workspace.Open(c.path)
	if errors.Is(err, workspace.ErrNotFile) && isFolder(c.workspace, c.path) {
		list := listCall{workspace: c.workspace, limits: c.limits, from: c.from, folder: c.path, input: listInput{Depth: 1, Offset: c.input.Offset, Limit: cmp.Or(c.input.Limit, maxEntries)}}
		result := list.Run(ctx, hooks)
		result.Folder = true
		return result, nil
	}
	if err != nil {
		return Result{}, err
	}
	defer file.Close()
	return c.show(ctx, file)
}

// show makes a Result of what kind of file it is.
func (c *readCall) show(ctx context.Context, file *os.File) (Result, error) {
	reader := newFingerprintReader(&cancelReader{ctx, file})
	defer func() {
		if content, err := reader.rest(); err == nil {
			c.known.set(c.path.Path, content)
		}
	}()
	in := bufio.NewReaderSize(reader, 64<<10)
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
		if bytes.HasPrefix(head, []byte("\xFF\xFE")) || bytes.HasPrefix(head, []byte("\xFE\xFF")) {
			return Failed(fmt.Sprintf("%s is UTF-16 text, which is not shown: convert it, for example with `iconv -f UTF-16 -t UTF-8`", workspace.DisplayName(c.path.Shown))), nil
		}
		return Failed(fmt.Sprintf("%s is a binary file (%s, %s) and cannot be shown as text",
			workspace.DisplayName(c.path.Shown), kind, plural(int(info.Size()), "byte"))), nil
	}
	return c.readText(in)
}

// isFolder reports whether p is a folder now.
func isFolder(w *workspace.Workspace, p approval.Path) bool {
	dir, err := w.OpenFolder(p)
	if err != nil {
		return false
	}
	dir.Close()
	return true
}
