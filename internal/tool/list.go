package tool

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/tool/workspace"
)

//go:embed list.md
var listDescription string

const listSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "description": "Default: the workspace"},
		"depth": {"type": "integer", "minimum": 1, "maximum": 20, "description": "Levels of folders; default 1"},
		"offset": {"type": "integer", "minimum": 0, "description": "First name; default 1"},
		"limit": {"type": "integer", "minimum": 1, "description": "Number of names; default 1000"},
		"ignored": {"type": "boolean", "description": "Also what .gitignore excludes"}
	},
	"additionalProperties": false
}`

// maxEntries is how many entries are listed by default.
const maxEntries = 1000

// List returns the tool that shows what is in a folder.
func List() Tool { return listTool{} }

type listTool struct{}

func (listTool) Name() string           { return "list" }
func (listTool) Description() string    { return listDescription }
func (listTool) Schema() jsontext.Value { return jsontext.Value(listSchema) }

// OfferedSchema leaves out what the tools of protocols need.
func (listTool) OfferedSchema(*Env) jsontext.Value { return offeredList.Get() }

var offeredList = lazy.Value[jsontext.Value]{New: func() jsontext.Value { return schemaWithout(listSchema, "limit") }}

type listInput struct {
	Path    string `json:"path"`
	Depth   int    `json:"depth"`
	Offset  int    `json:"offset"`
	Limit   int    `json:"limit"`
	Ignored bool   `json:"ignored"`
}

func (listTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	in := listInput{Depth: 1, Limit: maxEntries}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	folder, err := env.Workspace.Resolve(cmp.Or(in.Path, "."), false)
	if err != nil {
		return nil, err
	}
	return &listCall{workspace: env.Workspace, limits: env.Limits, from: env.firstOffset(), folder: folder, input: in}, nil
}

type listCall struct {
	workspace *workspace.Workspace
	limits    Limits
	from      int // the offset of the first name
	folder    approval.Path
	input     listInput
}

func (c *listCall) Request() approval.Request {
	folder := c.folder
	if c.input.Depth > 1 {
		folder = folder.All()
	}
	return approval.Request{
		Level:   approval.Read,
		Paths:   []approval.Path{folder},
		Summary: "list " + workspace.DisplayName(c.folder.Shown),
	}
}

// skipped returns how many names come before the first that is shown.
func (c *listCall) skipped() int { return max(0, c.input.Offset-c.from) }

func (c *listCall) Run(ctx context.Context, _ Hooks) Result {
	dir, err := c.workspace.OpenFolder(c.folder)
	if err != nil {
		return cannot(c.workspace, "list", c.folder, err)
	}
	defer dir.Close()
	var rules *ignoreRules
	rel := "."
	if !c.input.Ignored {
		rules, rel = rulesAbove(c.workspace, c.folder.Path)
	}
	l := lister{listCall: c, ctx: ctx, out: listing{max: c.input.Limit, size: c.limits.output()}}
	if err := l.list(dir, "", rel, rules); err != nil {
		return cannot(c.workspace, "list", c.folder, err)
	}
	switch {
	case l.out.full:
		l.out.note("there are more names: go on with offset %d", c.skipped()+l.out.len+c.from)
	case l.out.len == 0 && l.passed > 0:
		return Failed(fmt.Sprintf("offset %d is past the end: there are %s", c.input.Offset, plural(l.passed, "name")))
	}
	noteGaps(ctx, &l.out, harvest{unreadable: l.unreadable})
	return l.out.result("the folder is empty")
}

// A lister walks over folders, in the order of the output.
type lister struct {
	*listCall
	ctx        context.Context
	out        listing
	passed     int // names before the first that is shown
	unreadable int // folders
}

// list shows what is in dir, which lies at rel for the ignore rules; every name begins with prefix.
func (l *lister) list(dir *os.Root, prefix, rel string, rules *ignoreRules) error {
	entries, err := readFolder(dir)
	if err != nil {
		return err
	}
	if !l.input.Ignored {
		rules = rules.in(dir, rel)
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			return rules.ignores(path.Join(rel, e.Name()), e.IsDir())
		})
	}
	foldersFirst(entries)
	for _, entry := range entries {
		if l.ctx.Err() != nil {
			return nil
		}
		if l.passed < l.skipped() {
			l.passed++
		} else if !l.out.add(entryLine(dir, entry, prefix)) {
			return nil
		}
		if entry.IsDir() && strings.Count(prefix, "/")+1 < l.input.Depth && entry.Name() != ".git" {
			l.below(dir, entry.Name(), prefix, rel, rules)
		}
		if l.out.full {
			return nil
		}
	}
	return nil
}

// below shows what is in the folder name of dir, but for what is protected: approving
// a folder does not approve that.
func (l *lister) below(dir *os.Root, name, prefix, rel string, rules *ignoreRules) {
	at := prefix + name
	if l.workspace.Hides(filepath.Join(l.folder.Path, at)) && !l.workspace.Hides(l.folder.Path) {
		return
	}
	next, err := workspace.EnterFolder(dir, name)
	if err == nil {
		defer next.Close()
		err = l.list(next, at+"/", path.Join(rel, name), rules)
	}
	if err != nil {
		l.unreadable++
	}
}

// foldersFirst puts folders before other entries, each kind in the order of the names.
func foldersFirst(entries []fs.DirEntry) {
	rank := func(e fs.DirEntry) int {
		if e.IsDir() {
			return 0
		}
		return 1
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Name(), b.Name()))
	})
}

// entryLine shows a folder as "name/", a symlink with its target, a file with its size.
func entryLine(dir *os.Root, entry fs.DirEntry, prefix string) string {
	name := workspace.DisplayName(prefix + entry.Name())
	switch {
	case entry.IsDir():
		return workspace.DisplayName(prefix + entry.Name() + "/")
	case entry.Type()&fs.ModeSymlink != 0:
		target, err := dir.Readlink(entry.Name())
		if err != nil {
			return name
		}
		return name + " -> " + workspace.DisplayName(target)
	case !entry.Type().IsRegular():
		return name + " (not a regular file)"
	}
	info, err := entry.Info()
	if err != nil {
		return name
	}
	return fmt.Sprintf("%s (%d bytes)", name, info.Size())
}
