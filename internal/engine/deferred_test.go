package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// A manySource offers many tools.
type manySource struct {
	n      int
	status func(event.ServerChanged)
}

func (s *manySource) Tools(context.Context) (tools []tool.Tool) {
	for i := range s.n {
		tools = append(tools, deferrableTool{remoteTool{fakeTool{fmt.Sprintf("mcp__one__get%d", i), approval.Read, func(context.Context, tool.Hooks, string) tool.Result {
			return tool.Result{Text: "got"}
		}}, "one"}})
	}
	return tools
}

func (*manySource) Close() {}

type deferrableTool struct{ remoteTool }

func (deferrableTool) Deferrable() {}

func namesOf(specs []model.ToolSpec) (names []string) {
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

// TestDeferredTools: above a number of tools of servers the model searches for them; what it has
// found follows everything else in requests, also after the session is resumed.
func TestDeferredTools(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()},
		call(toolCall("a", "tool_search", `{"query":"get3"}`)),
		call(toolCall("b", "mcp__one__get3", `{}`)),
		call(toolCall("c", "mcp__one__get1", `{}`)), // from memory, without a search
		say("ok"), say("ok"))
	host := b.host()
	host.cfg.Defer = Deferral{Tools: 4}
	host.cfg.Connect = func(_ []tool.Server, _ string, status func(event.ServerChanged)) tool.Source {
		return &manySource{5, status}
	}
	o := b.options()
	s, err := host.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: string(approval.FullAccess)}}, o)
	if err != nil {
		t.Fatal(err)
	}
	records := turnOf(t, s, "go", nil)
	done := find[event.ToolEnded](records)
	if len(done) != 3 || !strings.HasPrefix(done[0].Output, "mcp__one__get3: A tool of the tests.") || done[1].Output != "got" || done[2].Output != "got" {
		t.Fatalf("%+v, %+v", done, ended(t, records).Failure)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := host.Open(t.Context(), s.ID(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close(t.Context())
	turnOf(t, again, "more", nil)
	var got [][]string
	for _, r := range b.requests() {
		got = append(got, namesOf(r.Tools))
	}
	own := got[0]
	if slices.ContainsFunc(own, func(n string) bool { return strings.HasPrefix(n, "mcp__") }) || own[len(own)-1] != toolSearchTool {
		t.Fatalf("at first: %q", own)
	}
	want := [][]string{own, append(slices.Clone(own), "mcp__one__get3"), append(slices.Clone(own), "mcp__one__get3"), append(slices.Clone(own), "mcp__one__get3", "mcp__one__get1"), append(slices.Clone(own), "mcp__one__get3", "mcp__one__get1")}
	for i, names := range got {
		if !slices.Equal(names, want[i]) {
			t.Errorf("request %d: %q, want %q", i, names, want[i])
		}
	}
}

// TestFewToolsAreNotDeferred: below the number everything is sent, and above what an endpoint
// takes the last are left out, with one warning.
func TestFewToolsAreNotDeferred(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("a", "look", `{}`)), say("ok"))
	host := b.host()
	host.cfg.Defer = Deferral{Tools: 5}
	models := host.cfg.Models
	host.cfg.Models = limitedModels{models}
	host.cfg.Connect = func(_ []tool.Server, _ string, status func(event.ServerChanged)) tool.Source {
		return &manySource{5, status}
	}
	s, err := host.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: string(approval.FullAccess)}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	records := turnOf(t, s, "go", nil)
	want := []string{"look", "mcp__one__get0", "mcp__one__get1"}
	for _, r := range b.requests() {
		if got := namesOf(r.Tools); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	notices := find[event.Notice](records)
	if len(notices) != 1 || notices[0].Code != NoticeToolsLeftOut || !strings.Contains(notices[0].Text, "takes at most 3 tools; left out: mcp__one__get2, mcp__one__get3, mcp__one__get4") {
		t.Errorf("%+v", notices)
	}
}

// limitedModels take three tools.
type limitedModels struct{ Models }

func (m limitedModels) Resolve(name string) (Model, error) {
	found, err := m.Models.Resolve(name)
	found.MaxTools = 3
	return found, err
}

func TestToolSearch(t *testing.T) {
	var remote []*boundTool
	for _, name := range []string{"create_issue", "list_issues", "delete_branch"} {
		f := fakeTool{"mcp__hub__" + name, approval.Read, nil}
		remote = append(remote, bind(Binding{Name: f.name, Tool: f.name, Description: strings.ReplaceAll(name, "_", " ") + " of a repository"}, deferrableTool{remoteTool{f, "hub"}}))
	}
	search := toolSearch{remote}
	for query, want := range map[string]string{
		"list issue":              "mcp__hub__list_issues mcp__hub__create_issue",
		"repository":              "mcp__hub__create_issue mcp__hub__list_issues mcp__hub__delete_branch",
		"mcp__hub__delete_branch": "mcp__hub__delete_branch",
		"mcp__hub__delete_branch, MCP__HUB__create_issue ": "mcp__hub__delete_branch mcp__hub__create_issue",
		"weather": "",
	} {
		var names []string
		for _, r := range search.find(query, 5) {
			names = append(names, r.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
