package tool

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/tool/workspace"
)

//go:embed grep.md
var grepDescription string

const grepSchema = `{
	"type": "object",
	"properties": {
		"pattern": {"type": "string"},
		"path": {"type": "string", "description": "File or folder; default: the workspace"},
		"glob": {"type": "string", "description": "*.go, src/**/*.{ts,tsx}"},
		"mode": {"type": "string", "enum": ["files_with_matches", "content", "count"]},
		"order": {"type": "string", "enum": ["path", "modified"], "description": "Order of the files: by path (default), or the last changed first"},
		"ignore_case": {"type": "boolean", "description": "Default false"},
		"line_numbers": {"type": "boolean", "description": "Show line numbers; default true"},
		"before": {"type": "integer", "minimum": 0, "description": "Lines before each match, for content"},
		"after": {"type": "integer", "minimum": 0, "description": "Lines after each match, for content"},
		"context": {"type": "integer", "minimum": 0, "description": "Lines before and after each match, for content"},
		"head_limit": {"type": "integer", "minimum": 1, "description": "Lines of output; default 250"},
		"multiline": {"type": "boolean", "description": "Matches may span lines"},
		"ignored": {"type": "boolean", "description": "Also what .gitignore excludes"}
	},
	"required": ["pattern"],
	"additionalProperties": false
}`

// Grep returns the tool that searches the text of files.
func Grep() Tool { return grepTool{} }

type grepTool struct{}

func (grepTool) Name() string           { return "grep" }
func (grepTool) Description() string    { return grepDescription }
func (grepTool) Schema() jsontext.Value { return jsontext.Value(grepSchema) }

// OfferedSchema leaves out what the tools of protocols need.
func (grepTool) OfferedSchema(*Env) jsontext.Value { return offeredGrep.Get() }

var offeredGrep = lazy.Value[jsontext.Value]{New: func() jsontext.Value { return schemaWithout(grepSchema, "order", "line_numbers", "before", "after") }}

type grepInput struct {
	Pattern     string   `json:"pattern"`
	Path        string   `json:"path"`
	Glob        string   `json:"glob"` // "": every file
	Mode        grepMode `json:"mode"`
	Order       string   `json:"order"` // "": as path
	IgnoreCase  bool     `json:"ignore_case"`
	LineNumbers bool     `json:"line_numbers"`
	Before      int      `json:"before"`
	After       int      `json:"after"`
	Context     int      `json:"context"` // the least of Before and After
	HeadLimit   int      `json:"head_limit"`
	Multiline   bool     `json:"multiline"`
	Ignored     bool     `json:"ignored"`
}

// maxMatches is how many lines a search shows unless the call has a limit.
const maxMatches = 250

// A grepMode is what a search shows of its matches.
type grepMode string

const (
	grepFiles   grepMode = "files_with_matches"
	grepContent grepMode = "content"
	grepCount   grepMode = "count"
)

func (grepTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	in := grepInput{Mode: grepFiles, LineNumbers: true, HeadLimit: maxMatches}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	in.Path = cmp.Or(in.Path, ".")
	in.HeadLimit = min(in.HeadLimit, MaxText)
	in.Before, in.After = max(in.Before, in.Context), max(in.After, in.Context)
	finder, err := newFinder(in.Pattern, in.IgnoreCase, in.Multiline)
	if err != nil {
		return nil, err
	}
	if in.Glob != "" && !doublestar.ValidatePattern(in.Glob) {
		return nil, fmt.Errorf("the glob pattern %q is not valid: check its brackets and braces", in.Glob)
	}
	base, err := env.Workspace.Resolve(in.Path, false)
	if err != nil {
		return nil, err
	}
	return &grepCall{workspace: env.Workspace, limits: env.Limits, base: base, finder: finder, input: in}, nil
}

type grepCall struct {
	workspace *workspace.Workspace
	limits    Limits
	base      approval.Path
	finder    *finder
	input     grepInput
}

func (c *grepCall) Request() approval.Request {
	return approval.Request{
		Level:   approval.Read,
		Paths:   []approval.Path{c.base.All()},
		Summary: fmt.Sprintf("search for %s in %s", workspace.DisplayName(c.input.Pattern), workspace.DisplayName(c.base.Shown)),
	}
}

func (c *grepCall) Run(ctx context.Context, _ Hooks) Result {
	folder, got, err := c.candidates(ctx)
	if err != nil && ctx.Err() == nil {
		return cannot(c.workspace, "search", c.base, err)
	}
	out, matches := listing{max: c.input.HeadLimit, size: c.limits.output()}, &event.FileMatches{Base: c.workspace.Rel(c.base.Path), Files: []event.MatchedFile{}}
	search := search{grepCall: c, folder: folder, shown: c.workspace.Rel(folder)}
	all := search.run(ctx, got.files, &out, matches)
	if out.full {
		c.noteCut(&out, all, matches)
	}
	if all.skipped > 0 {
		out.note("%s could not be searched", plural(all.skipped, "file"))
	}
	noteGaps(ctx, &out, got)
	result := out.result("no matches")
	matches.Cut = out.full || ctx.Err() != nil
	result.Matches = matches
	return result
}

// noteCut reports how much of what was found is shown.
func (c *grepCall) noteCut(out *listing, all searched, shown *event.FileMatches) {
	lines := 0
	for _, file := range shown.Files {
		lines += file.Lines
	}
	switch {
	case c.input.Mode != grepContent:
		out.note("%d of %s shown: narrow the search", len(shown.Files), plural(all.files, "file"))
	case all.matches > maxCountedMatches:
		out.note("%d of more than %d matches shown: narrow the search", lines, maxCountedMatches)
	default:
		out.note("%d of %d matches in %s shown: narrow the search", lines, all.matches, plural(all.files, "file"))
	}
}

// candidates returns the files to search, relative to folder. A file that is named itself is
// searched whatever it is.
func (c *grepCall) candidates(ctx context.Context) (folder string, got harvest, err error) {
	if !isFolder(c.workspace, c.base) {
		file, err := c.workspace.Open(c.base)
		if err != nil {
			return "", harvest{}, err
		}
		file.Close()
		return filepath.Dir(c.base.Path), harvest{files: []found{{path: filepath.Base(c.base.Path)}}}, nil
	}
	walk := walk{workspace: c.workspace, base: c.base, depth: -1, ignored: c.input.Ignored}
	if c.input.Glob != "" {
		walk.keep = nameFilter(c.input.Glob)
	}
	got, err = walk.run(ctx)
	if err == nil && c.input.Order == orderModified {
		newestFirst(c.workspace, c.base.Path, got.files)
	}
	return c.base.Path, got, err
}

// nameFilter matches the file's name if glob has no slash, else its path.
func nameFilter(glob string) func(string) bool {
	if !strings.Contains(glob, "/") {
		return func(file string) bool { return doublestar.MatchUnvalidated(glob, path.Base(file)) }
	}
	glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
	return func(file string) bool { return doublestar.MatchUnvalidated(glob, file) }
}
