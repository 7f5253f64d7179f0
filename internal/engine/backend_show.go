package engine

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
)

// This file contains how clients see the calls of an agent: under the names and with the inputs that the dialect has for our tools.

// The tools that change files.
const (
	writeTool = "write"
	editTool  = "edit"
	patchTool = "patch"
)

// A reportedCall is a call of an agent as the session has it.
type reportedCall struct {
	name  string         // of the tool, as clients have it
	tool  string         // our own name, or that of the tool of a server; "": clients see a call that they have no form for
	input jsontext.Value // as clients have it
	known string         // our own name of the tool, for hooks: as far as it is known, bound or not
	own   jsontext.Value // the input of that tool
}

// reported returns a call as the session has it. A tool that no binding shows, or whose input is not known, has the agent's name and input.
func (t *turn) reported(u backend.Call) reportedCall {
	r := reportedCall{name: u.Name, input: u.Input, known: u.Tool, own: u.Input}
	if r.input.Kind() != jsontext.KindBeginObject {
		r.input, r.own = jsontext.Value("{}"), jsontext.Value("{}")
	}
	if u.Server != "" {
		r.tool, r.known = u.Name, u.Name
		return r
	}
	for _, c := range t.ownCalls(u) {
		for _, b := range t.s.tools.bound {
			if b.Tool != c.tool {
				continue
			}
			if shown, err := b.show(c.input); err == nil {
				return reportedCall{name: b.Name, tool: b.Tool, input: shown, known: b.Tool, own: c.input}
			}
		}
	}
	return r
}

var errNoShow = errors.New("nothing reverses how the input of the tool is adapted")

// show returns the shown input of a call of the tool. An error: there is none that means the same.
func (b *boundTool) show(own jsontext.Value) (jsontext.Value, error) {
	core, err := b.core()
	if err != nil {
		return nil, err
	}
	var instance map[string]any
	if err := errors.Join(json.Unmarshal(own, &instance), core.Validate(instance)); err != nil {
		return nil, err
	}
	shown := own
	switch {
	case b.Show != nil:
		if shown, err = b.Show(own); err != nil {
			return nil, err
		}
	case b.Adapt != nil:
		return nil, errNoShow
	}
	_, err = b.own(shown)
	return shown, err
}

// An ownCall is a call of one of our tools.
type ownCall struct {
	tool  string
	input jsontext.Value
}

// ownCalls returns the calls of our tools that a call of an agent could be shown as, the best first.
func (t *turn) ownCalls(u backend.Call) (calls []ownCall) {
	if u.Tool == "" {
		return nil
	}
	var members map[string]jsontext.Value
	_ = json.Unmarshal(u.Input, &members) // an input that is none has no members
	dir := t.env.Workspace.Dir()
	for _, m := range []ownMembers{{u.Tool, members}, membersOf(u)} {
		if len(m.members) == 0 {
			continue
		}
		if m.text("dir") == dir {
			delete(m.members, "dir")
		}
		if t.s.opts.ZeroOffsets {
			m.countFromZero()
		}
		calls = append(calls, m.call(), m.absolute(dir).call())
		if m.tool == shellTool && m.text("dir") != "" {
			calls = append(calls, m.folded().call())
		}
	}
	return calls
}

// ownMembers are the input of one of our tools.
type ownMembers struct {
	tool    string
	members map[string]jsontext.Value
}

// membersOf returns the input of one of our tools for what a call needs and changes.
func membersOf(u backend.Call) ownMembers {
	m := ownMembers{u.Tool, map[string]jsontext.Value{}}
	path := ""
	if len(u.Paths) > 0 {
		path = u.Paths[0]
	}
	switch {
	case u.Tool == shellTool:
		m.set("command", u.Command)
		m.set("dir", u.Dir)
	case slices.Contains([]string{writeTool, editTool, patchTool}, u.Tool) && len(u.Edits) > 0:
		return editMembers(u.Edits)
	case u.URL != "":
		m.set("url", u.URL)
	default:
		m.set("path", path)
	}
	return m
}

// editMembers returns the input of the tool that makes edits.
func editMembers(edits []backend.Edit) ownMembers {
	first := edits[0]
	if slices.ContainsFunc(edits, func(e backend.Edit) bool { return e.Path != first.Path || e.Deleted || e.Diff != "" }) {
		m := ownMembers{patchTool, map[string]jsontext.Value{}}
		m.set("input", patchText(edits))
		return m
	}
	m := ownMembers{editTool, map[string]jsontext.Value{}}
	m.set("path", first.Path)
	switch {
	case first.Before == nil && len(edits) == 1:
		m.tool = writeTool
		m.members["content"] = jsonOf(first.After)
	case len(edits) == 1:
		m.members["old"], m.members["new"] = jsonOf(*first.Before), jsonOf(first.After)
	default:
		type edit struct {
			Old string `json:"old"`
			New string `json:"new"`
		}
		var all []edit
		for _, e := range edits {
			one := edit{New: e.After}
			if e.Before != nil {
				one.Old = *e.Before
			}
			all = append(all, one)
		}
		m.members["edits"] = jsonOf(all)
	}
	return m
}

// patchText returns edits of several files as a patch.
func patchText(edits []backend.Edit) string {
	var b strings.Builder
	lines := func(mark, text string) {
		for line := range strings.Lines(text) {
			b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	b.WriteString("*** Begin Patch\n")
	for i, e := range edits {
		switch {
		case e.Deleted:
			b.WriteString("*** Delete File: " + e.Path + "\n")
			continue
		case e.Diff != "":
			b.WriteString("*** Update File: " + e.Path + "\n")
			for line := range strings.Lines(e.Diff) {
				if strings.HasPrefix(line, "@@") {
					line = "@@\n" // patches have no numbers of lines
				}
				b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
			}
			continue
		case e.Before == nil:
			b.WriteString("*** Add File: " + e.Path + "\n")
			lines("+", e.After)
			continue
		}
		if i == 0 || edits[i-1].Path != e.Path {
			b.WriteString("*** Update File: " + e.Path + "\n")
		}
		b.WriteString("@@\n")
		lines("-", *e.Before)
		lines("+", e.After)
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}

func jsonOf(value any) jsontext.Value {
	data, _ := json.Marshal(value, jsontext.AllowInvalidUTF8(true)) // of texts: cannot fail
	return data
}

// set sets a member, unless it would be empty.
func (m ownMembers) set(name, text string) {
	if text != "" {
		m.members[name] = jsonOf(text)
	}
}

// text returns a member that is a text; "": there is none.
func (m ownMembers) text(name string) (text string) {
	_ = json.Unmarshal(m.members[name], &text)
	return text
}

func (m ownMembers) call() ownCall {
	data, _ := json.Marshal(m.members, json.Deterministic(true)) // of values: cannot fail
	return ownCall{m.tool, data}
}

// clone returns the members with room for others.
func (m ownMembers) clone() ownMembers {
	all := make(map[string]jsontext.Value, len(m.members))
	for name, value := range m.members {
		all[name] = value
	}
	return ownMembers{m.tool, all}
}

// absolute returns the call with absolute paths, for dialects that have no others.
func (m ownMembers) absolute(dir string) ownMembers {
	m = m.clone()
	for _, name := range []string{"path", "dir"} {
		if path := m.text(name); path != "" && !filepath.IsAbs(path) && !strings.HasPrefix(path, "~") {
			m.set(name, filepath.Join(dir, path))
		}
	}
	return m
}

// folded returns a command with its folder in the command, for dialects that have no member for it.
func (m ownMembers) folded() ownMembers {
	m = m.clone()
	m.set("command", "cd '"+strings.ReplaceAll(m.text("dir"), "'", `'\''`)+"' && "+m.text("command"))
	delete(m.members, "dir")
	return m
}

// countFromZero makes the first line 0, as the tools of the session count.
func (m ownMembers) countFromZero() {
	var offset int
	if (m.tool == readTool || m.tool == "list") && json.Unmarshal(m.members["offset"], &offset) == nil && offset > 0 {
		m.members["offset"] = jsonOf(offset - 1)
	}
}
