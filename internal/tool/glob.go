package tool

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
)

//go:embed glob.md
var globDescription string

const globSchema = `{
	"type": "object",
	"properties": {
		"pattern": {"type": "string"},
		"path": {"type": "string", "description": "Folder; default: the workspace"},
		"ignored": {"type": "boolean", "description": "Also what .gitignore excludes"}
	},
	"required": ["pattern"],
	"additionalProperties": false
}`

// maxFiles is how many files a search names by default.
const maxFiles = 1000

// Glob returns the tool that finds files by their names.
func Glob() Tool { return globTool{} }

type globTool struct{}

func (globTool) Name() string           { return "glob" }
func (globTool) Description() string    { return globDescription }
func (globTool) Schema() jsontext.Value { return jsontext.Value(globSchema) }

type globInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Ignored bool   `json:"ignored"`
}

func (globTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in globInput
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	folder, pattern, err := splitGlob(cmp.Or(in.Path, "."), in.Pattern)
	if err != nil {
		return nil, err
	}
	base, err := env.Workspace.Resolve(folder, false)
	if err != nil {
		return nil, err
	}
	return &globCall{workspace: env.Workspace, limits: env.Limits, base: base, pattern: pattern, input: in}, nil
}

// splitGlob takes the leading folders without wildcards from the pattern to the folder,
// so that a search in one folder neither asks for nor walks another.
func splitGlob(folder, pattern string) (base, rest string, err error) {
	switch {
	case len(pattern) > maxPattern:
		return "", "", fmt.Errorf("the glob pattern is too long: %d bytes", len(pattern))
	case !doublestar.ValidatePattern(pattern), pattern == "":
		return "", "", fmt.Errorf("the glob pattern %q is not valid: check its brackets and braces", pattern)
	}
	lead, rest := doublestar.SplitPattern(pattern)
	parts := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("/{},", r) })
	if slices.Contains(parts, "..") {
		return "", "", errors.New(`".." can only stand at the beginning of a glob pattern, before any wildcard`)
	}
	if rest == "" {
		rest = "**"
	}
	switch {
	case lead == ".":
		return folder, rest, nil
	case filepath.IsAbs(lead), lead == "~", strings.HasPrefix(lead, "~/"):
		return lead, rest, nil
	}
	if folder == "." {
		return lead, rest, nil
	}
	return strings.TrimSuffix(folder, "/") + "/" + lead, rest, nil
}

type globCall struct {
	workspace *workspace.Workspace
	limits    Limits
	base      approval.Path
	pattern   string
	input     globInput
}

func (c *globCall) Request() approval.Request {
	return approval.Request{
		Level:   approval.Read,
		Paths:   []approval.Path{c.base.All()},
		Summary: fmt.Sprintf("find %s in %s", workspace.DisplayName(c.pattern), workspace.DisplayName(c.base.Shown)),
	}
}

func (c *globCall) Run(ctx context.Context, _ Hooks) Result {
	walk := walk{workspace: c.workspace, base: c.base, depth: globDepth(c.pattern), ignored: c.input.Ignored}
	walk.keep = func(path string) bool { return doublestar.MatchUnvalidated(c.pattern, path) }
	got, err := walk.run(ctx)
	if err != nil && ctx.Err() == nil {
		if errors.Is(err, fs.ErrNotExist) && c.base.Shown != cmp.Or(c.input.Path, ".") {
			return Result{Text: noFiles, Matches: &event.FileMatches{Base: c.workspace.Rel(c.base.Path), Files: []event.MatchedFile{}}} // a folder of the pattern does not exist
		}
		return cannot(c.workspace, "search", c.base, err)
	}
	base, out := c.workspace.Rel(c.base.Path), listing{max: maxFiles, size: c.limits.output()}
	matches := &event.FileMatches{Base: base, Files: []event.MatchedFile{}}
	for _, file := range got.files {
		name := workspace.DisplayName(path.Join(base, file.path))
		if !out.add(name) {
			break
		}
		matches.Files = append(matches.Files, event.MatchedFile{Path: name})
	}
	if out.full {
		out.note("%d of %s shown: narrow the pattern", out.len, plural(len(got.files), "file"))
	}
	noteGaps(ctx, &out, got)
	result := out.result(noFiles)
	matches.Cut = out.full || ctx.Err() != nil
	result.Matches = matches
	return result
}

const noFiles = "no files match"

// noteGaps says what a search could not look at.
func noteGaps(ctx context.Context, out *listing, got harvest) {
	if got.unreadable > 0 {
		out.note("%s could not be read", plural(got.unreadable, "folder"))
	}
	if ctx.Err() != nil {
		out.note("interrupted: there may be more")
	}
}

// globDepth returns how many folders down a pattern can match; -1: any number.
func globDepth(pattern string) int {
	if strings.Contains(pattern, "**") {
		return -1
	}
	return strings.Count(pattern, "/")
}
