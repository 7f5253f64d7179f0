package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// This file handles tools of servers whose definitions are not sent before the model has
// searched for them: many tools cost much of the context, and providers take a limited number.

// A Deferral says above what the definitions of the tools of servers are deferred: their number, or their bytes.
// The zero value defers none.
type Deferral struct{ Tools, Bytes int }

// DefaultDeferral is that of the program.
var DefaultDeferral = Deferral{Tools: 40, Bytes: 30 << 10}

// exceeded reports whether the definitions of these tools are deferred.
func (d Deferral) exceeded(remote []*boundTool) bool {
	n, bytes := 0, 0
	for _, b := range remote {
		if b.deferrable() {
			n++
			bytes += len(b.Name) + len(b.Description) + len(b.Schema)
		}
	}
	return d.Tools > 0 && n > d.Tools || d.Bytes > 0 && bytes > d.Bytes
}

func (b *boundTool) deferrable() bool {
	_, ok := b.tool.(tool.Deferrable)
	return ok
}

// isDeferred reports whether the definition of a tool is sent only once it was found.
func (s *Session) isDeferred(b *boundTool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools.deferred && b.deferrable()
}

// definitions returns the bindings whose definitions are sent: those that are deferred only once
// they were found, at the end and in that order, so that nothing before them changes. It runs
// under the session's lock.
func (s *Session) definitions(bound []*boundTool) []*boundTool {
	if !s.tools.deferred {
		return bound
	}
	var late []*boundTool
	bound = slices.DeleteFunc(bound, func(b *boundTool) bool {
		if !b.deferrable() {
			return false
		}
		if slices.Contains(s.fold.FoundTools, b.Name) {
			late = append(late, b)
		}
		return true
	})
	slices.SortFunc(late, func(a, b *boundTool) int {
		return slices.Index(s.fold.FoundTools, a.Name) - slices.Index(s.fold.FoundTools, b.Name)
	})
	return append(bound, late...)
}

// maxSpecs leaves out the last definitions of those that are more than most, and returns their names.
func maxSpecs(specs []model.ToolSpec, most int) (kept []model.ToolSpec, left []string) {
	if most <= 0 || len(specs) <= most {
		return specs, nil
	}
	for _, spec := range specs[most:] {
		left = append(left, spec.Name)
	}
	return specs[:most], left
}

// noteLeftOut warns of tools that the endpoint of m has no room for, once for each set of them. It runs under the session's lock.
func (t *turn) noteLeftOut(m Model, left []string) {
	names := strings.Join(left, ", ")
	if names == "" || names == t.s.tools.leftOut {
		return
	}
	t.s.tools.leftOut = names
	t.s.log.Append(t.id, event.Notice{
		Level: event.Warning, Code: NoticeToolsLeftOut,
		Text: fmt.Sprintf("%s takes at most %d tools; left out: %s. Choose tools with \"tools\" or \"disabled_tools\" of a server", m.Info.Provider, m.MaxTools, names),
	})
}

// findTools records that the model has found deferred tools of these names.
func (t *turn) findTools(names []string) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(s.fold.FoundTools, name) })
	if len(names) > 0 {
		s.log.Append(t.id, event.ToolsFound{Names: names})
	}
}

// toolSearchTool is the name of the tool that finds deferred ones.
const toolSearchTool = "tool_search"

// A toolSearch is the tool that finds the deferred tools of a session.
type toolSearch struct {
	remote []*boundTool // all that are deferred, sorted by name
}

func newToolSearch(remote []*boundTool) *boundTool {
	t := toolSearch{slices.DeleteFunc(slices.Clone(remote), func(b *boundTool) bool { return !b.deferrable() })}
	return bind(Binding{Name: toolSearchTool, Tool: toolSearchTool}, t)
}

func (toolSearch) Name() string { return toolSearchTool }

// maxListedNames bounds the names of deferred tools in the description of the search, in bytes.
const maxListedNames = 4 << 10

func (t toolSearch) Description() string {
	var b strings.Builder
	b.WriteString("Finds tools of tool servers (MCP) and makes them callable: their definitions are not loaded before. Search by what the tool is to do, or by its name. " +
		"The tools found can be called from your next answer on.\n")
	servers := map[string][]string{}
	var order []string
	for _, r := range t.remote {
		server, name := r.origin()
		if servers[server] == nil {
			order = append(order, server)
		}
		servers[server] = append(servers[server], name)
	}
	for _, server := range order {
		names := strings.Join(servers[server], ", ")
		if room := maxListedNames / len(order); len(names) > room {
			names = names[:strings.LastIndex(names[:room], ",")+1] + " …"
		}
		fmt.Fprintf(&b, "\nServer %s, %d tools: %s", server, len(servers[server]), names)
	}
	return b.String()
}

func (toolSearch) Schema() jsontext.Value {
	return jsontext.Value(`{"type":"object","properties":{"query":{"type":"string","minLength":1,"description":"Words, or names of tools separated by commas"},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many tools at most; default 5"}},"required":["query"],"additionalProperties":false}`)
}

func (t toolSearch) Prepare(_ *tool.Env, input jsontext.Value) (tool.Call, error) {
	var in struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, err
	}
	return toolSearchCall{t, in.Query, cmp.Or(in.Limit, 5)}, nil
}

type toolSearchCall struct {
	search toolSearch
	query  string
	limit  int
}

func (c toolSearchCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Summary: "search tools: " + c.query}
}

// Run names the tools that match best. FindTools makes them callable.
func (c toolSearchCall) Run(_ context.Context, hooks tool.Hooks) tool.Result {
	found := c.search.find(c.query, c.limit)
	if len(found) == 0 {
		return tool.Result{Text: "No tool matches. Try other words; the description of this tool lists the servers and their tools."}
	}
	var names []string
	var b strings.Builder
	for _, r := range found {
		names = append(names, r.Name)
		about, _, _ := strings.Cut(strings.TrimSpace(r.Description), "\n")
		fmt.Fprintf(&b, "%s: %s\n", r.Name, strings.ToValidUTF8(about[:min(len(about), maxAbout)], ""))
	}
	hooks.FindTools(names)
	b.WriteString("You can call them from now on.")
	return tool.Result{Text: b.String()}
}

// maxAbout bounds the description of a tool in a result, in bytes.
const maxAbout = 300

// find returns the tools that match a query, best first: those that it names, else by how many of its words
// their names and descriptions have.
func (t toolSearch) find(query string, limit int) []*boundTool {
	var named []*boundTool
	for name := range strings.SplitSeq(query, ",") {
		name = strings.TrimSpace(name)
		for _, r := range t.remote {
			if _, own := r.origin(); strings.EqualFold(r.Name, name) || strings.EqualFold(own, name) {
				named = append(named, r)
			}
		}
	}
	if len(named) > 0 {
		return named[:min(len(named), max(limit, strings.Count(query, ",")+1))]
	}
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return strings.ContainsRune(" \t\n,.;:_-/\"'()", r) })
	scores := map[*boundTool]int{}
	var matching []*boundTool
	for _, r := range t.remote {
		name, about := strings.ToLower(r.Name), strings.ToLower(r.Description)
		for _, word := range words {
			if strings.Contains(name, word) {
				scores[r] += 3
			}
			if strings.Contains(about, word) {
				scores[r]++
			}
		}
		if scores[r] > 0 {
			matching = append(matching, r)
		}
	}
	slices.SortStableFunc(matching, func(a, b *boundTool) int { return scores[b] - scores[a] })
	return matching[:min(len(matching), limit)]
}
