package hook

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
)

// A view is a call as Claude Code would show it to a hook. A call that Claude Code would make as
// several, as a patch of several files, has several views.
type view struct {
	names []string // that matchers are compared with; the first is name
	name  string
	input jsontext.Value
	path  string            // of the file that it changes
	own   map[string]string // member of input -> member of our own input, of those that can be rewritten
	exact bool              // input is the call's own
}

// A claudeTool is a tool of Claude Code and how its input is made of ours.
type claudeTool struct {
	names   []string          // the first is shown; matchers of the others match, too
	members map[string]string // ours -> theirs; the others are left out
	file    string            // the member of theirs that is a path: it is made absolute
	fixed   map[string]any    // members that are always there
}

// claudeTools are the tools of Claude Code by the names of ours. A tool without one is shown as the
// model sees it.
var claudeTools = lazy.Value[map[string]claudeTool]{New: func() map[string]claudeTool {
	return map[string]claudeTool{
		"shell": {names: []string{"Bash"}, members: map[string]string{"command": "command", "timeout_ms": "timeout", "description": "description"}},
		"background_start": {
			names: []string{"Bash"}, members: map[string]string{"command": "command", "description": "description"},
			fixed: map[string]any{"run_in_background": true},
		},
		"background_write": {names: []string{"Bash"}, members: map[string]string{"input": "command"}}, // a shell may run there
		"background_read":  {names: []string{"BashOutput", "TaskOutput"}, members: map[string]string{"id": "bash_id"}},
		"background_stop":  {names: []string{"KillShell", "KillBash", "TaskStop"}, members: map[string]string{"id": "shell_id"}},
		"read":             {names: []string{"Read", "NotebookRead"}, members: map[string]string{"path": "file_path", "offset": "offset", "limit": "limit"}, file: "file_path"},
		"write":            {names: []string{"Write"}, members: map[string]string{"path": "file_path", "content": "content"}, file: "file_path"},
		"edit": {
			names: []string{"Edit", "MultiEdit"}, file: "file_path",
			members: map[string]string{"path": "file_path", "old": "old_string", "new": "new_string", "replace_all": "replace_all", "edits": "edits"},
		},
		"glob":   {names: []string{"Glob"}, members: map[string]string{"pattern": "pattern", "path": "path"}},
		"grep":   {names: []string{"Grep"}, members: map[string]string{"pattern": "pattern", "path": "path", "glob": "glob", "ignore_case": "-i", "multiline": "multiline"}},
		"list":   {names: []string{"LS"}, members: map[string]string{"path": "path"}, file: "path"},
		"fetch":  {names: []string{"WebFetch"}, members: map[string]string{"url": "url", "prompt": "prompt"}},
		"search": {names: []string{"WebSearch"}, members: map[string]string{"query": "query", "allowed_domains": "allowed_domains", "blocked_domains": "blocked_domains"}},
		"plan":   {names: []string{"TodoWrite"}, members: map[string]string{"items": "todos"}},
		"ask":    {names: []string{"AskUserQuestion"}, members: map[string]string{"questions": "questions"}},
		"skill":  {names: []string{"Skill"}, members: map[string]string{"name": "skill"}},
		"task":   {names: []string{"Task", "Agent"}},
	}
}}

// editMembers are the members of one of several edits, ours -> theirs.
var editMembers = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"old": "old_string", "new": "new_string", "replace_all": "replace_all"}
}}

// fileEdits are the names of a view that is a change of one file by a tool that can change several.
var fileEdits = []string{"Edit", "Write", "MultiEdit"}

// views returns the call as hooks for Claude Code see it; at least one.
func (c *Call) views(dir string) []view {
	var written []string
	if c.Written != nil && (c.Tool == "patch" || c.Tool == "shell") {
		written = c.Written(c.Input)
	}
	var all []view
	if c.Tool != "patch" || len(written) == 0 {
		all = append(all, c.view(dir))
	}
	for _, path := range written {
		input, _ := json.Marshal(map[string]any{ // it cannot fail
			"file_path": absolute(dir, path), "old_string": "", "new_string": member(c.OwnInput, "input", "command"),
		}, json.Deterministic(true))
		all = append(all, view{names: fileEdits, name: fileEdits[0], input: input, path: absolute(dir, path)})
	}
	return all
}

// view returns the call as one call of a tool of Claude Code.
func (c *Call) view(dir string) view {
	t, known := claudeTools.Get()[c.Tool]
	if c.Tool == "patch" {
		t, known = claudeTool{names: fileEdits, members: map[string]string{"input": "new_string"}}, true
	}
	if !known || c.Server != "" {
		return view{names: []string{c.Shown}, name: c.Shown, input: c.Input, exact: true}
	}
	v := view{names: t.names, name: t.names[0], own: map[string]string{}}
	if t.members == nil {
		v.input, v.exact = c.Input, true
		return v
	}
	input := map[string]jsontext.Value{}
	var own map[string]jsontext.Value
	if json.Unmarshal(c.OwnInput, &own) != nil {
		own = nil // what is no object has no members
	}
	for ours, theirs := range t.members {
		if value, ok := own[ours]; ok {
			input[theirs] = value
		}
		v.own[theirs] = ours
	}
	for name, value := range t.fixed {
		input[name], _ = json.Marshal(value) // it cannot fail
	}
	if edits, ok := input["edits"]; ok && c.Tool == "edit" {
		input["edits"], v.name = renamed(edits, editMembers.Get()), "MultiEdit"
		delete(v.own, "edits")
	}
	var path string
	if t.file != "" && json.Unmarshal(input[t.file], &path) == nil {
		v.path = absolute(dir, path)
		input[t.file], _ = json.Marshal(v.path) // it cannot fail
	}
	v.input, _ = json.Marshal(input, json.Deterministic(true)) // it cannot fail
	return v
}

// renamed returns a list of objects with other names of members.
func renamed(list jsontext.Value, names map[string]string) jsontext.Value {
	var items []map[string]jsontext.Value
	if json.Unmarshal(list, &items) != nil {
		return list
	}
	for _, item := range items {
		for from, to := range names {
			if value, ok := item[from]; ok {
				item[to] = value
				delete(item, from)
			}
		}
	}
	text, err := json.Marshal(items, json.Deterministic(true))
	if err != nil {
		return list
	}
	return text
}

// member returns the first of the named members of an object that is a text.
func member(object jsontext.Value, names ...string) string {
	var members map[string]jsontext.Value
	_ = json.Unmarshal(object, &members) // what is no object has none
	for _, name := range names {
		var text string
		if value, ok := members[name]; ok && json.Unmarshal(value, &text) == nil {
			return text
		}
	}
	return ""
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) || dir == "" {
		return path
	}
	return filepath.Join(dir, path)
}

// rewritten returns the input of c with the changes that a hook has made to that of v. It is
// an error if the tool that the model called cannot be given them.
func (v view) rewritten(c *Call, updated jsontext.Value) (jsontext.Value, error) {
	if v.exact {
		return updated, nil
	}
	var before, after, own, shown map[string]jsontext.Value
	for value, into := range map[*map[string]jsontext.Value]jsontext.Value{&before: v.input, &after: updated, &own: c.OwnInput, &shown: c.Input} {
		if err := json.Unmarshal(into, value); err != nil {
			return nil, fmt.Errorf("updatedInput cannot be read: %w", err)
		}
	}
	changed := map[string]jsontext.Value{} // by our names
	for name, value := range after {
		if equal(value, before[name]) {
			continue
		}
		ours, ok := v.own[name]
		if !ok {
			return nil, fmt.Errorf("updatedInput: %s of %s cannot be changed", name, v.name)
		}
		changed[ours] = value
	}
	for name := range before {
		if _, ok := after[name]; !ok && v.own[name] != "" {
			changed[v.own[name]] = nil // it is removed
		}
	}
	for name, value := range changed {
		at := shownMember(shown, name, own[name])
		if value == nil {
			delete(shown, at)
			continue
		}
		shown[at] = value
	}
	input, err := json.Marshal(shown, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	fitted, err := c.Fit(input)
	if err != nil {
		return nil, err
	}
	var got map[string]jsontext.Value
	if err := json.Unmarshal(fitted, &got); err != nil {
		return nil, err
	}
	for name, value := range changed {
		if !equal(got[name], value) {
			return nil, errors.New("updatedInput: the tool " + c.Shown + " cannot be given " + name)
		}
	}
	return input, nil
}

// shownMember returns the member of a shown input that has the value of our member name.
func shownMember(shown map[string]jsontext.Value, name string, value jsontext.Value) string {
	if _, ok := shown[name]; ok || value == nil {
		return name
	}
	var found []string
	for other, v := range shown {
		if equal(v, value) {
			found = append(found, other)
		}
	}
	if len(found) == 0 {
		return name
	}
	return slices.Min(found)
}

// equal reports whether two values are the same JSON; nil is none.
func equal(a, b jsontext.Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	x, y := a.Clone(), b.Clone()
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}
