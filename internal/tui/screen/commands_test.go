package screen

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		line  string
		want  []string
		shows string
	}{
		{"/model openai/gpt-5", []string{"change s-1 map[model:openai/gpt-5]"}, ""},
		{"/model openai/not-listed", []string{"change s-1 map[model:openai/not-listed]"}, ""},
		{"/mode plan", []string{"change s-1 map[mode:plan]"}, ""},
		{"/mode everything", nil, "possible are read-only, plan, workspace-write, prompt, danger-full-access"},
		{"/sandbox read-only", []string{"change s-1 map[sandbox:map[kind:read-only]]"}, ""},
		{"/sandbox none", nil, "possible are read-only"},
		{"/reasoning high", []string{"change s-1 map[thinking:high]"}, ""},
		{"/reasoning much", nil, "possible are off, low, high"},
		{"/compact", []string{"compact s-1"}, ""},
		{"/compact the plan", []string{"compact s-1 the plan"}, ""},
		{"/fork", []string{"fork s-1 0", "leave s-1"}, ""},
		{"/rename Login page", []string{"change s-1 map[name:Login page]"}, "Name: Login page"},
		{"/rename", nil, "/rename NAME"},
		{"/new", []string{"leave s-1"}, "Parley"},
		{"/help", nil, "Keys and commands"},
		{"/sessions", nil, "Sessions"},
		{"/history", nil, "History"},
		{"/theme light", nil, "Theme: light"},
		{"/theme pink", nil, "possible are dark, light, contrast"},
		{"/model", nil, "> anthropic/claude-sonnet-4-5"},
		{"/nonsense", nil, "possible are /help"},
		{"/nonsense", nil, "› /nonsense"},
		{"/usr/bin is full", []string{"prompt s-1 steer /usr/bin is full"}, ""},
	} {
		t.Run(c.line, func(t *testing.T) {
			s := newStage(t, 120, 40)
			s.begin("run the tests")
			s.answer("t-1", "Done.")
			s.host.requests()
			s.write(c.line)
			s.press("enter")
			s.expect(c.want...)
			if c.shows != "" {
				s.shows(c.shows)
			}
		})
	}
}

// TestSettingsBeforeSession: what is changed at the start counts for the session that the first prompt makes.
func TestSettingsBeforeSession(t *testing.T) {
	s := newStage(t, 80, 24)
	s.write("/mode plan")
	s.press("enter")
	s.shows("plan")
	s.write("/model openai/gpt-5")
	s.press("enter")
	s.expect()
	if frame := s.text(); !strings.Contains(frame, "idle  openai/gpt-5  plan") {
		t.Errorf("the footer has other settings:\n%s", frame)
	}
	s.write("go")
	s.press("enter")
	s.expect("create map[mode:plan model:openai/gpt-5]", "prompt s-1 steer go")
}

func TestQuit(t *testing.T) {
	s := newStage(t, 80, 24)
	s.write("/quit")
	s.press("enter")
	if !s.quit {
		t.Error("the program has not ended")
	}
}

// TestAgentOptions: an option of the agent of a back end is a row with its values, and is shown once when it is set.
func TestAgentOptions(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("x")
	s.host.agentOptions = []record.BackendOption{{Setting: "backend.style", Name: "Style", Value: "plain", Values: []record.BackendOptionValue{{ID: "plain"}, {ID: "terse"}}}}
	s.press("ctrl+o")
	s.shows("Sandbox", "Style", "plain")
	s.lacks("backend.style")
	s.write("style")
	s.press("enter")
	s.shows("> plain", "  terse")
	s.host.requests()
	s.press("down", "enter")
	s.expect("change s-1 map[options:map[backend.style:[terse]]]")
}

func TestSettingsList(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("x")
	s.host.tools = []link.Tool{{Name: "bash", Enabled: true}, {Name: "browser", Group: "browser"}}
	s.press("ctrl+o")
	s.shows("> Model", "Reasoning", "Mode", "Sandbox", "Tools", "1 tool")
	s.write("mod")
	s.shows("> Model", "  Mode")
	s.lacks("Sandbox")
	s.press("down")
	s.shows("> Mode")
	s.press("enter")
	s.shows("> workspace-write", "  plan")
	s.host.requests()
	s.press("up", "enter")
	s.expect("change s-1 map[mode:plan]")
	s.press("ctrl+o")
	s.write("tools")
	s.press("enter")
	s.shows("> browser")
	s.press("enter")
	s.expect("change s-1 map[tool_groups:[browser]]")
}

// TestModels: the list has the model of the session, though no list has it, and the models of servers once they are known. The host
// decides about any other name.
func TestModels(t *testing.T) {
	s := newStage(t, 120, 40, func(_ *Options, h *fakeHost) { h.discovered = []link.Model{{Name: "openai/mock-2"}} })
	s.begin("go")
	s.answer("t-1", "Done.")
	s.record("", record.SessionChanged{Settings: record.Settings{Model: "openai/mock-1"}})
	s.write("/model")
	s.press("enter")
	s.shows("> openai/mock-1", "openai/gpt-5", "openai/mock-2")
	s.press("esc")
	s.host.requests()
	s.host.fail = map[string]error{"change": errRefused}
	s.write("/model nonsense")
	s.press("enter")
	s.expect("change s-1 map[model:nonsense]")
	s.shows("refused")
}
