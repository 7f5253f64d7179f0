package tool

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
)

//go:embed list.md
var listDescription string

const listSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "Folder to list; default: the workspace"},
		"ignored": {"type": "boolean", "description": "Also show what .gitignore excludes; default false"}
	},
	"additionalProperties": false
}`

// maxEntries is how many entries of a folder are listed.
const maxEntries = 1000

// List is the tool that shows what is in a folder.
func List() Tool { return listTool{} }

type listTool struct{}

func (listTool) Name() string           { return "list" }
func (listTool) Description() string    { return listDescription }
func (listTool) Schema() jsontext.Value { return jsontext.Value(listSchema) }

type listInput struct {
	Path    string `json:"path"`
	Ignored bool   `json:"ignored"`
}

func (listTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in listInput
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	folder, err := env.Workspace.Resolve(cmp.Or(in.Path, "."), false)
	if err != nil {
		return nil, err
	}
	return &listCall{workspace: env.Workspace, folder: folder, ignored: in.Ignored}, nil
}

type listCall struct {
	workspace *Workspace
	folder    approval.Path
	ignored   bool
}

func (c *listCall) Request() approval.Request {
	return approval.Request{
		Level:   approval.Read,
		Paths:   []approval.Path{c.folder},
		Summary: "list " + shownName(c.folder.Shown),
	}
}

func (c *listCall) Run(context.Context, Hooks) Result {
	dir, err := c.workspace.OpenFolder(c.folder)
	if err != nil {
		return c.workspace.cannot("list", c.folder, err)
	}
	defer dir.Close()
	entries, err := c.entries(dir)
	if err != nil {
		return c.workspace.cannot("list", c.folder, err)
	}
	out := listing{max: maxEntries}
	for _, entry := range entries {
		if !out.add(entryLine(dir, entry)) {
			out.note("%d of %s shown", out.len, plural(len(entries), "name"))
			break
		}
	}
	return out.result("the folder is empty")
}

// entries is what is listed: folders first, each kind in the order of the names.
func (c *listCall) entries(dir *os.Root) ([]fs.DirEntry, error) {
	entries, err := readFolder(dir)
	if err != nil {
		return nil, err
	}
	if !c.ignored {
		rules, rel := c.workspace.rulesAbove(c.folder.Path)
		rules = rules.in(dir, rel)
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			return rules.ignores(path.Join(rel, e.Name()), e.IsDir())
		})
	}
	rank := func(e fs.DirEntry) int {
		if e.IsDir() {
			return 0
		}
		return 1
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Name(), b.Name()))
	})
	return entries, nil
}

// entryLine shows a folder as "name/", a symlink with its target, a file with its size.
func entryLine(dir *os.Root, entry fs.DirEntry) string {
	name := entry.Name()
	switch {
	case entry.IsDir():
		return shownName(name + "/")
	case entry.Type()&fs.ModeSymlink != 0:
		target, err := dir.Readlink(name)
		if err != nil {
			return shownName(name)
		}
		return shownName(name) + " -> " + shownName(target)
	case !entry.Type().IsRegular():
		return shownName(name) + " (not a regular file)"
	}
	info, err := entry.Info()
	if err != nil {
		return shownName(name)
	}
	return fmt.Sprintf("%s (%d bytes)", shownName(name), info.Size())
}
