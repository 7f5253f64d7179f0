package tool

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/output"
	"parley.dev/parley/internal/tool/patch"
	"parley.dev/parley/internal/tool/workspace"
)

//go:embed patch.md
var patchDescription string

const patchSchema = `{
	"type": "object",
	"properties": {
		"input": {"type": "string"}
	},
	"required": ["input"],
	"additionalProperties": false
}`

// Patch returns the tool that changes several files by one text.
func Patch() Tool { return patchTool{} }

type patchTool struct{}

func (patchTool) Name() string           { return "patch" }
func (patchTool) Description() string    { return patchDescription }
func (patchTool) Schema() jsontext.Value { return jsontext.Value(patchSchema) }

type patchInput struct {
	Input string `json:"input"`
}

func (patchTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	var in patchInput
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	call, err := preparePatch(env, in.Input, env.Workspace.Dir())
	if err != nil {
		return nil, err
	}
	return call, nil
}

// preparePatch prepares a call that applies a patch, whose relative paths begin at dir.
func preparePatch(env *Env, text, dir string) (*patchCall, error) {
	sections, err := patch.Parse(text)
	if err != nil {
		return nil, err
	}
	call := &patchCall{workspace: env.Workspace, known: env.Known, dir: dir}
	for _, section := range sections {
		op := patchOp{Section: section}
		if op.from, err = call.resolve(section.Path); err != nil {
			return nil, err
		}
		if section.Removes() && env.Workspace.IsLink(op.from.Shown) {
			return nil, fmt.Errorf("%s is a symlink to %s: a patch deletes and moves regular files only; use the shell for the link", workspace.DisplayName(op.from.Shown), workspace.DisplayName(op.from.Path))
		}
		if section.MoveTo != "" {
			if op.to, err = call.resolve(section.MoveTo); err != nil {
				return nil, err
			}
		}
		call.ops = append(call.ops, op)
	}
	return call, nil
}

// A patchOp is a section of a patch with the paths that it is about.
type patchOp struct {
	patch.Section
	from approval.Path
	to   approval.Path // of a section that moves
}

type patchCall struct {
	workspace *workspace.Workspace
	dir       string // absolute, where relative paths begin
	known     *KnownFiles
	ops       []patchOp
	paths     []approval.Path        // each once
	seen      map[string]fingerprint // by path, what the patch was worked out for; nil: it was not
}

func (c *patchCall) resolve(shown string) (approval.Path, error) {
	if c.dir != c.workspace.Dir() && shown != "" && !filepath.IsAbs(shown) && shown != "~" && !strings.HasPrefix(shown, "~/") {
		shown = c.workspace.Rel(c.dir) + "/" + shown
	}
	p, err := c.workspace.Resolve(shown, true)
	if err == nil && !slices.ContainsFunc(c.paths, func(q approval.Path) bool { return q.Path == p.Path }) {
		c.paths = append(c.paths, p)
	}
	return p, err
}

func (c *patchCall) Request() approval.Request {
	const named = 3
	var names []string
	for _, p := range c.paths[:min(len(c.paths), named)] {
		names = append(names, workspace.DisplayName(p.Shown))
	}
	summary := "patch " + strings.Join(names, ", ")
	if more := len(c.paths) - named; more > 0 {
		summary += " and " + plural(more, "more file")
	}
	return approval.Request{Level: approval.Write, Paths: slices.Clone(c.paths), Summary: summary}
}

func (c *patchCall) Propose(ctx context.Context, client ClientFiles) ([]event.FileChange, error) {
	plan, err := c.plan(ctx, client)
	if err != nil {
		return nil, err
	}
	c.seen = map[string]fingerprint{}
	for _, f := range plan.files {
		c.seen[f.path.Path] = f.old.fingerprint()
	}
	return plan.changes(), nil
}

func (c *patchCall) Preview(ctx context.Context, client ClientFiles) []approval.FileEffect {
	plan, err := c.plan(ctx, client)
	if err != nil {
		return nil
	}
	var effects []approval.FileEffect
	for _, f := range plan.files {
		if change := plan.change(f); change != nil {
			effects = append(effects, effectOf(*change, f.old, f.data))
		}
	}
	return effects
}

// Run changes all files or none. Only the client is waited for until ctx ends.
func (c *patchCall) Run(ctx context.Context, hooks Hooks) Result {
	defer c.workspace.LockFiles()()
	plan, err := c.plan(ctx, hooks.Files)
	if err != nil {
		return Failed(err.Error())
	}
	for _, f := range plan.files {
		if c.seen != nil && c.seen[f.path.Path] != f.old.fingerprint() {
			return cannot(c.workspace, "patch", f.path, errChanged)
		}
	}
	stored := plan.keep(hooks.Keep)
	err = plan.commit(ctx, "patch")
	stored()
	if err != nil {
		return Failed(err.Error())
	}
	for _, f := range plan.files {
		from := cmp.Or(f.from, f)
		if f.exists && c.known.check(from.path.Path, from.old) == nil {
			c.known.set(f.path.Path, original{data: f.data, exists: true}.fingerprint())
		}
	}
	changes := plan.changes()
	return Result{Text: patchText(changes), Changes: changes}
}

// plan works the patch out on what the files hold now. The error is a result for the model.
func (c *patchCall) plan(ctx context.Context, client ClientFiles) (*patchPlan, error) {
	plan := newPatchPlan(c.workspace, client)
	for _, op := range c.ops {
		if err := plan.do(ctx, op); err != nil {
			return nil, errors.New(cannot(c.workspace, op.verb(), op.from, err).Text)
		}
	}
	return plan, nil
}

func (op patchOp) verb() string {
	switch op.Kind {
	case patch.Add:
		return "add"
	case patch.Delete:
		return "delete"
	}
	return "update"
}

// patchText lists the changed files: what was added, what was modified, what was deleted.
func patchText(changes []event.FileChange) string {
	if len(changes) == 0 {
		return "Success. The files are as the patch wants them already; nothing was changed."
	}
	var text strings.Builder
	text.WriteString("Success. Updated the following files:\n")
	for _, group := range []struct {
		op   event.FileOp
		mark string
	}{{event.Created, "A "}, {event.Updated, "M "}, {event.Deleted, "D "}} {
		for _, change := range changes {
			if change.Op == group.op {
				text.WriteString(group.mark + workspace.DisplayName(change.Path) + "\n")
			}
		}
	}
	clipped, _ := output.Clip(text.String(), MaxText)
	return clipped
}
