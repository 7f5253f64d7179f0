package mcp

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/tool"
)

func TestPrompts(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "asking"))
	s := v.Source.(tool.Prompter)
	for args, want := range map[string]string{
		"main.go":                   "Review main.go ",
		`"a b.go" 'how so'`:         "Review a b.go how so",
		"how=well main.go":          "Review main.go well",
		"main.go closely and again": "Review main.go closely and again",
	} {
		text, known, err := s.Prompt(t.Context(), "mcp__srv__review", args)
		want = "[The user chose /mcp__srv__review. The tool server srv has this text for it:]\n" + want + "\n[You said:]\nWhich part?\nAll of it."
		if text != want || !known || err != nil {
			t.Errorf("%s: %q, %v, %v", args, text, known, err)
		}
	}
	if _, known, err := s.Prompt(t.Context(), "mcp__srv__review", ""); !known || err == nil || !strings.Contains(err.Error(), "the prompt review needs the argument file") {
		t.Errorf("without arguments: %v, %v", known, err)
	}
	for _, name := range []string{"mcp__srv__nothing", "mcp__other__review", "review"} {
		if _, known, err := s.Prompt(t.Context(), name, ""); known || err != nil {
			t.Errorf("%s: %v, %v", name, known, err)
		}
	}
	want := []tool.PromptInfo{{Name: "mcp__srv__review", Description: "Reviews\ufffd code", Arguments: []tool.PromptArgument{{Name: "file", Required: true}, {Name: "how"}}}}
	u := v.Source.(*source).users[0]
	u.peer.listPrompts(u.peer.link)
	if diff := cmp.Diff(want, s.Prompts()); diff != "" {
		t.Error(diff)
	}
}

// TestPromptsChange: a prompt that a server adds while it runs is offered without a restart.
func TestPromptsChange(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "asking"))
	v.run("learn", "{}")
	learned := func(p tool.PromptInfo) bool { return p.Name == "mcp__srv__learned" }
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !slices.ContainsFunc(v.Source.(tool.Prompter).Prompts(), learned) {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the prompt is not offered")
		}
	}
}

func TestArgumentsOf(t *testing.T) {
	none := &sdk.Prompt{Name: "none"}
	if _, err := argumentsOf(none, "x"); err == nil {
		t.Error("an argument that there is not is taken")
	}
	if values, err := argumentsOf(none, " "); err != nil || len(values) > 0 {
		t.Errorf("%v, %v", values, err)
	}
}
