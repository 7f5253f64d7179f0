package engine

import (
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestFamilies: what a family of models reads besides names the tool as it is offered, and is left out where
// it is not.
func TestFamilies(t *testing.T) {
	for _, c := range []struct{ id, want string }{
		{"gpt-5.2", "use `apply_patch` where"},
		{"openai/gpt-oss-120b", "use `apply_patch` where"},
		{"o3-mini", "use `apply_patch` where"},
		{"claude-sonnet-4-5", "`str_replace` replaces exact text"},
		{"anthropic/Claude-Opus-4.6", "`str_replace` replaces exact text"},
		{"glm-5", ""},
		{"o10", ""},
		{"my-gpt-5", ""},
	} {
		for _, offered := range []bool{true, false} {
			b := newBench(t, []fakeTool{lookTool()})
			b.info = model.Info{ID: c.id, Provider: "script", ContextWindow: 100_000}
			b.tools["patch"], b.tools["edit"] = lookTool(), lookTool()
			s := b.session(t, func(o *Options, _ *event.Settings) {
				o.Toolset = []Binding{{Name: "look", Tool: "look"}}
				if offered {
					o.Toolset = append(o.Toolset, Binding{Name: "apply_patch", Tool: "patch"}, Binding{Name: "str_replace", Tool: "edit"})
				}
			})
			got := s.Context().SystemPrompt()
			if want := offered && c.want != ""; want != (c.want != "" && strings.Contains(got, c.want)) || !want && (strings.Contains(got, "apply_patch") || strings.Contains(got, "str_replace")) {
				t.Errorf("%s, offered %v: %s", c.id, offered, got)
			}
		}
	}
}

// TestFamilyTools: a tool of a family is offered to its models alone, also after a change of the model, and a
// call of it by another model runs.
func TestFamilyTools(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, say("a"), call(toolCall("1", "apply_patch", `{}`)), say("b"))
	b.tools["patch"] = lookTool()
	s := b.session(t, func(o *Options, settings *event.Settings) {
		settings.Model = "script/gpt-5.2"
		o.Toolset = []Binding{{Name: "look", Tool: "look"}, {Name: "apply_patch", Tool: "patch", Family: FamilyGPT}}
	})
	offered := func() (names []string) {
		for _, info := range s.Context().Tools() {
			names = append(names, info.Name)
		}
		return names
	}
	if got := offered(); !slices.Equal(got, []string{"apply_patch", "look"}) {
		t.Errorf("before the first request there are %v", got)
	}
	for _, id := range []string{"gpt-5.2", "glm-5"} {
		b.info = model.Info{ID: id, Provider: "script", ContextWindow: 100_000}
		if err := s.Change(func(settings *event.Settings) { settings.Model = "script/" + id }); err != nil {
			t.Fatal(err)
		}
		turnOf(t, s, "go", nil)
	}
	for i, want := range [][]string{{"look", "apply_patch"}, {"look"}, {"look"}} {
		var got []string
		for _, spec := range b.requests()[i].Tools {
			got = append(got, spec.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("request %d offers %v, want %v", i+1, got, want)
		}
	}
	if got := offered(); !slices.Equal(got, []string{"look"}) {
		t.Errorf("afterwards there are %v", got)
	}
	last := b.requests()[2].Messages
	if r := last[len(last)-1].Blocks[0].Result; r == nil || r.IsError {
		t.Errorf("the call of another model failed: %+v", r)
	}
}
