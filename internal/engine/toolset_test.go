package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

func TestToolGroups(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{}`)), say("no"), call(toolCall("d", "look", `{}`)), say("yes"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Toolset[0].Group = "extra" })
	if e := find[event.ToolEnded](turnOf(t, s, "go", nil)); e[0].Output != "unknown tool: look" {
		t.Errorf("a tool that is off: %q", e[0].Output)
	}
	if err := s.Change(func(s *event.Settings) { s.ToolGroups = []string{"extra"} }); err != nil {
		t.Fatal(err)
	}
	if e := find[event.ToolEnded](turnOf(t, s, "go", nil)); e[0].Output != "seen" {
		t.Errorf("a tool that is on: %q", e[0].Output)
	}
	if off, on := len(b.requests()[0].Tools), len(b.requests()[2].Tools); off != 0 || on != 1 {
		t.Errorf("%d tools offered, then %d", off, on)
	}
}

// TestBadInputs: what is wrong with an input is told to the model in words it can act on.
func TestBadInputs(t *testing.T) {
	adapt := func(jsontext.Value) (jsontext.Value, error) { return nil, errors.New("not like that") }
	ts := newToolset([]Binding{{Name: "look", Tool: "look"}, {Name: "adapted", Tool: "look", Adapt: adapt}, {Name: "lost", Tool: "lost"}},
		func(name string) (tool.Tool, bool) { return lookTool(), name == "look" })
	offered := ts.offered(nil, nil)
	if len(offered) != 2 {
		t.Fatal("a tool that this build does not have is offered")
	}
	look, adapted := offered[0], offered[1]
	for input, want := range map[string]string{
		`"text"`:        "not a JSON object",
		`{"text":1}`:    "text: type: ",
		`{"txet":"a"}`:  "txet",
		`{"a":1,"a":2}`: "not valid JSON",
	} {
		if _, err := look.prepare(nil, jsontext.Value(input)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", input, err)
		}
	}
	if _, err := adapted.prepare(nil, jsontext.Value(`{}`)); err == nil || err.Error() != "not like that" {
		t.Errorf("adapt: %v", err)
	}
}
