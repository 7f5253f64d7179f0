package link

import (
	"fmt"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/record"
)

// TestCovered: the preview of a grant names what the host stores.
func TestCovered(t *testing.T) {
	for _, r := range []record.Request{
		{Command: "go test ./...", Dir: "/w"},
		{Command: "go test ./..."},
		{URL: "https://example.com/a"},
		{Paths: []record.Path{{Path: "/w/a.go", Write: true}, {Path: "/w/b.go"}}},
		{Paths: []record.Path{{Path: "/etc/passwd", Outside: true}}},
		{Server: "s", Tool: "t", Summary: "s.t a=1"},
		{Server: "s", Tool: "t"},
		{Summary: "something"},
	} {
		request := approval.Request{Level: approval.Execute, Tool: r.Tool, Command: r.Command, Dir: r.Dir, URL: r.URL, Server: r.Server, Summary: r.Summary}
		for _, p := range r.Paths {
			request.Paths = append(request.Paths, approval.Path{Path: p.Path, Write: p.Write, Outside: p.Outside})
		}
		var set approval.GrantSet
		set.Add(request)
		want := ""
		if set.Covers(request) {
			for _, g := range set.List() {
				want += fmt.Sprintln(g.Target)
			}
		}
		got := ""
		for _, target := range Covered(r) {
			got += fmt.Sprintln(target)
		}
		if got != want {
			t.Errorf("%+v:\n%s, the host stores\n%s", r, got, want)
		}
	}
}

// TestBudgetLeft: the limit that is nearest counts.
func TestBudgetLeft(t *testing.T) {
	b := Budget{Limits: Amounts{Cost: 2, ToolCalls: 10}, Used: Amounts{Cost: 0.5, ToolCalls: 8, TotalTokens: 5}}
	if left := b.Left(); left < 0.199 || left > 0.201 {
		t.Errorf("%v", left)
	}
	if left := (Budget{}).Left(); left != 1 {
		t.Errorf("without limits %v", left)
	}
}

// TestTail: of a long text the end is there.
func TestTail(t *testing.T) {
	var text tail
	for i := range 2000 {
		fmt.Fprintf(&text, "%d\n", i)
	}
	if s := text.String(); len(s) != tailLimit || s[len(s)-5:] != "1999\n" {
		t.Errorf("%d bytes: %q", len(s), s[len(s)-5:])
	}
}
