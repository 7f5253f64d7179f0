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
)

//go:embed grep.md
var grepDescription string

const grepSchema = `{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "description": "Regular expression, RE2 syntax: no lookaround, no backreferences"},
		"path": {"type": "string", "description": "File or folder to search; default: the workspace"},
		"glob": {"type": "string", "description": "Only files with this name pattern, e.g. *.go or internal/**/*.{ts,tsx}"},
		"mode": {"type": "string", "enum": ["files_with_matches", "content", "count"], "description": "Name the files (default), show the matching lines, or count them"},
		"order": {"type": "string", "enum": ["path", "modified"], "description": "Which files come first: by their paths (default), or those that were changed last"},
		"ignore_case": {"type": "boolean", "description": "Upper and lower case are the same; default false"},
		"line_numbers": {"type": "boolean", "description": "Number the lines of content; default true"},
		"before": {"type": "integer", "minimum": 0, "description": "Lines of content to show before each match"},
		"after": {"type": "integer", "minimum": 0, "description": "Lines of content to show after each match"},
		"context": {"type": "integer", "minimum": 0, "description": "Lines of content to show before and after each match"},
		"head_limit": {"type": "integer", "minimum": 1, "description": "How many lines of output at most; default 1000"},
		"multiline": {"type": "boolean", "description": "A match may span lines, and . matches a newline; default false"},
		"ignored": {"type": "boolean", "description": "Also search files that .gitignore excludes; default false"}
	},
	"required": ["pattern"],
	"additionalProperties": false
}`

// Grep is the tool that searches the text of files.
func Grep() Tool { return grepTool{} }

type grepTool struct{}

func (grepTool) Name() string           { return "grep" }
func (grepTool) Description() string    { return grepDescription }
func (grepTool) Schema() jsontext.Value { return jsontext.Value(grepSchema) }

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

// A grepMode is what a search shows of its matches.
type grepMode string

const (
	grepFiles   grepMode = "files_with_matches"
	grepContent grepMode = "content"
	grepCount   grepMode = "count"
)

func (grepTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	in := grepInput{Mode: grepFiles, LineNumbers: true, HeadLimit: maxFiles}
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
	return &grepCall{workspace: env.Workspace, base: base, finder: finder, input: in}, nil
}

type grepCall struct {
	workspace *Workspace
	base      approval.Path
	finder    *finder
	input     grepInput
}

func (c *grepCall) Request() approval.Request {
	return approval.Request{
		Level:   approval.Read,
		Paths:   []approval.Path{c.base.All()},
		Summary: fmt.Sprintf("search for %s in %s", shownName(c.input.Pattern), shownName(c.base.Shown)),
	}
}

func (c *grepCall) Run(ctx context.Context, _ Hooks) Result {
	folder, got, err := c.candidates(ctx)
	if err != nil && ctx.Err() == nil {
		return c.workspace.cannot("search", c.base, err)
	}
	out := listing{max: c.input.HeadLimit}
	search := search{grepCall: c, folder: folder, shown: c.workspace.Rel(folder)}
	skipped := search.run(ctx, got.files, &out)
	if out.full {
		out.note("only the first %s shown: narrow the search", plural(out.len, "line"))
	}
	if skipped > 0 {
		out.note("%s could not be searched", plural(skipped, "file"))
	}
	noteGaps(ctx, &out, got)
	return out.result("no matches")
}

// candidates is the files to search, relative to folder. A file that is named itself is
// searched whatever it is.
func (c *grepCall) candidates(ctx context.Context) (folder string, got harvest, err error) {
	if !c.workspace.isFolder(c.base) {
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
		c.workspace.newestFirst(c.base.Path, got.files)
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
