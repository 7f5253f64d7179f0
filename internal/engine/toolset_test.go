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
	if e := find[event.ToolEnded](turnOf(t, s, "go", nil)); e[0].Output != "unknown tool: look; there are no tools" {
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

// TestBadInputs: the model receives an error that names what is wrong with an input.
func TestBadInputs(t *testing.T) {
	adapt := func(jsontext.Value) (jsontext.Value, error) { return nil, errors.New("not like that") }
	ts := newToolset([]Binding{{Name: "look", Tool: "look"}, {Name: "adapted", Tool: "look", Adapt: adapt}, {Name: "lost", Tool: "lost"}},
		func(name string) (tool.Tool, bool) { return lookTool(), name == "look" })
	offered := ts.offered(nil, "", nil)
	if len(offered) != 2 {
		t.Fatal("a tool that this build does not have is offered")
	}
	look, adapted := offered[0], offered[1]
	for input, want := range map[string]string{
		`"text"`:        "not a JSON object",
		`{"text":{}}`:   "text: has to be a string, not an object",
		`{"txet":"a"}`:  `"txet" is unknown (did you mean "text"?)`,
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

// A restrictedTool is a tool that offers an empty schema.
type restrictedTool struct{ fakeTool }

func (restrictedTool) OfferedSchema(*tool.Env) jsontext.Value { return jsontext.Value(`{}`) }

// TestOfferedSchema checks that models are offered a tool's restricted schema.
func TestOfferedSchema(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, say("no"))
	b.tools["look"] = restrictedTool{lookTool()}
	s := b.session(t, nil)
	turnOf(t, s, "go", nil)
	if got := string(b.requests()[0].Tools[0].Schema); got != `{}` {
		t.Errorf("offered %s", got)
	}
	if got := string(s.Context().Tools()[0].Schema); got != `{}` {
		t.Errorf("listed %s", got)
	}
}

// TestRepairedInput checks that the history keeps what the model wrote, and that the record of the
// call has the input that ran.
func TestRepairedInput(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{"text":7,"explanation":"to see"}`)), say("done"))
	s := b.session(t, nil)
	records := turnOf(t, s, "go", nil)
	if e := find[event.ToolIntended](records); string(e[0].Input) != `{"text":"7"}` {
		t.Errorf("recorded %s", e[0].Input)
	}
	if e := find[event.ToolEnded](records); e[0].Outcome != event.Succeeded {
		t.Errorf("ended %+v", e[0])
	}
	for _, c := range b.requests()[1].Messages[1].Calls() {
		if string(c.Input) != `{"text":7,"explanation":"to see"}` {
			t.Errorf("the history has %s", c.Input)
		}
	}
}

// TestUnknownToolNamesTools checks that a call of an unknown tool is answered with those that there are.
func TestUnknownToolNamesTools(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "loook", `{}`)), say("done"))
	if e := find[event.ToolEnded](turnOf(t, b.session(t, nil), "go", nil)); e[0].Output != "unknown tool: loook; the tools are: look" {
		t.Errorf("%q", e[0].Output)
	}
}

// TestUnfitIsAbridged: an error in the words of a protocol repeats the beginning of a long input only.
func TestUnfitIsAbridged(t *testing.T) {
	long := strings.Repeat("é", 5000)
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("1", "look", `{"wrong":"`+long+`"}`)), call(toolCall("2", "look", `{"wrong":"x"}`)), say("done"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Texts = map[Text]string{TextUnfit: "unfit for %[1]s: %[2]s\ngot: %[3]s"}
	})
	turnOf(t, s, "go", nil)
	for i, want := range []string{`got: {"wrong":"` + strings.Repeat("é", 195) + "… (10012 bytes)", `got: {"wrong":"x"}`} {
		messages := b.requests()[i+1].Messages
		if got := messages[len(messages)-1].Blocks[0].Result.Text; !strings.HasSuffix(got, want) || len(got) > 1000 {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
}
