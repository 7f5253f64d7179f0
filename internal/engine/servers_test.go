package engine

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

type jsonValue = jsontext.Value

// A fakeSource offers one tool, and reports that it is ready when its tools are requested.
type fakeSource struct {
	server tool.Server
	status func(event.ServerChanged)
	closed atomic.Bool
}

func (s *fakeSource) Tools(context.Context) []tool.Tool {
	s.status(event.ServerChanged{Server: s.server.Name, Status: event.ServerReady})
	return []tool.Tool{remoteTool{fakeTool{"mcp__" + s.server.Name + "__get", approval.Read, func(context.Context, tool.Hooks, string) tool.Result {
		return tool.Result{Text: "got", Reply: jsontext.Value(`{"content":[]}`)}
	}}, s.server.Name}}
}

func (s *fakeSource) Instructions() string { return "# Tool servers\n\n> use " + s.server.Name }

func (s *fakeSource) Prompts() []tool.PromptInfo { return nil }

func (s *fakeSource) Prompt(_ context.Context, name, args string) (text string, known bool, err error) {
	switch name {
	case "mcp__one__say":
		return "say" + args, true, nil
	case "mcp__one__broken":
		return "", true, errors.New("no such file")
	}
	return "", false, nil
}

func (s *fakeSource) Close() { s.closed.Store(true) }

type remoteTool struct {
	fakeTool
	server string
}

func (r remoteTool) Origin() (server, name string) { return r.server, "get" }

// TestServers: the tools of servers are offered and called like any other, and their source
// is closed with the session, or when it is replaced.
func TestServers(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "mcp__one__get", `{}`)), say("ok"), call(toolCall("b", "mcp__one__get", `{}`)), say("ok"))
	var sources []*fakeSource
	host := b.host()
	host.cfg.Connect = func(servers []tool.Server, dir string, status func(event.ServerChanged)) tool.Source {
		s := &fakeSource{server: servers[0], status: status}
		sources = append(sources, s)
		return s
	}
	o := b.options()
	o.servers = []Server{{Name: "one"}}
	s, err := host.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: string(approval.FullAccess)}}, o)
	if err != nil {
		t.Fatal(err)
	}
	records := s.Log().Follow(t.Context(), s.State().Head+1, event.KindServerChanged)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	turn := untilEnd(t, records, nil)
	intended, done := find[event.ToolIntended](turn)[0], find[event.ToolEnded](turn)[0]
	if intended.Server != "one" || intended.Tool != "get" || done.Outcome != event.Succeeded || string(done.Reply.Content) != `{"content":[]}` {
		t.Errorf("%+v\n%+v", intended, done)
	}
	if ready := find[event.ServerChanged](turn); len(ready) == 0 || ready[0].Status != event.ServerReady {
		t.Errorf("%+v", ready)
	}
	if tools := s.Context().Tools(); len(tools) != 1 || tools[0].Name != "mcp__one__get" {
		t.Errorf("%+v", tools)
	}

	if prompt := s.Context().SystemPrompt(); !strings.Contains(prompt, "\n# Tool servers\n\n> use one\n") {
		t.Errorf("the system prompt lacks the instructions of the server: %s", prompt)
	}

	s.Servers().Use([]Server{{Name: "two"}})
	if strings.Contains(s.Context().SystemPrompt(), "> use one") {
		t.Error("the system prompt has the instructions of a server that was replaced")
	}
	if !sources[0].closed.Load() {
		t.Error("the source that was replaced is open")
	}
	turn = turnOf(t, s, "again", nil)
	if done := find[event.ToolEnded](turn)[0]; done.Outcome != event.Failed {
		t.Errorf("a tool of a server that is gone: %+v", done)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !sources[1].closed.Load() {
		t.Error("the source is open after the session's end")
	}
}

// A strictTool lists a property with a default as required; a checkerTool judges inputs itself.
type strictTool struct{ remoteTool }

func (strictTool) Schema() jsontext.Value {
	return jsontext.Value(`{"type":"object","properties":{"scale":{"type":"string","default":"css"}},"required":["scale"]}`)
}

type checkerTool struct{ strictTool }

func (checkerTool) ChecksInput() {}

// TestServerChecksInput checks that an input is passed on to a tool that checks it, and refused
// where the schema is all there is.
func TestServerChecksInput(t *testing.T) {
	strict := strictTool{remoteTool{fakeTool{"t", approval.Read, nil}, "s"}}
	if _, err := bind(Binding{Name: "t"}, strict).own(jsontext.Value(`{}`)); err == nil {
		t.Error("an input that does not fit was accepted")
	}
	checker := bind(Binding{Name: "t"}, checkerTool{strict})
	if got, err := checker.own(jsontext.Value(`{}`)); err != nil || string(got) != `{}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := checker.own(jsontext.Value(`[]`)); err == nil {
		t.Error("an array was accepted")
	}
}

// TestServerPrompt: a prompt that names one of a server brings its text, once.
func TestServerPrompt(t *testing.T) {
	for text, want := range map[string]string{
		"/mcp__one__say a b": "say a b",
		"/mcp__one__broken":  "[The user chose /mcp__one__broken, whose text is not available: no such file]",
		"/mcp__one__none":    "",
		"/path/mcp__one":     "",
	} {
		b := newBench(t, nil, call(toolCall("a", "mcp__one__get", `{}`)), say("ok"))
		host := b.host()
		host.cfg.Connect = func(servers []tool.Server, dir string, status func(event.ServerChanged)) tool.Source {
			return &fakeSource{server: servers[0], status: status}
		}
		o := b.options()
		o.servers = []Server{{Name: "one"}}
		s, err := host.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: string(approval.FullAccess)}}, o)
		if err != nil {
			t.Fatal(err)
		}
		notes := find[event.ContextNote](turnOf(t, s, text, nil))
		got := ""
		for _, n := range notes {
			if n.Topic == event.NoteServerPrompt {
				got += n.Text
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
