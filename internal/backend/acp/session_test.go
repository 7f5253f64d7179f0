package acp

import (
	"errors"
	"strings"
	"testing"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestStartFailures: what an agent refuses at its start is an error that says what to do.
func TestStartFailures(t *testing.T) {
	for name, c := range map[string]struct {
		frames  string
		opening backend.Opening
		mode    string
		code    backend.Code
		text    string
	}{
		"newer":               {"> initialize\n< {\"id\":$id,\"result\":{\"protocolVersion\":2}}", backend.Opening{}, "", backend.CodeProtocol, "it speaks version 2 of the Agent Client Protocol; this program speaks 1"},
		"older":               {"> initialize\n< {\"id\":$id,\"result\":{\"protocolVersion\":0}}", backend.Opening{}, "", backend.CodeProtocol, "it speaks version 0 of the Agent Client Protocol; this program speaks 1"},
		"no session":          {hello("") + "> session/new\n< {\"id\":$id,\"result\":{}}", backend.Opening{}, "", backend.CodeProtocol, "has no sessionId"},
		"nonsense":            {"> initialize\n< {\"id\":$id,\"result\":[]}", backend.Opening{}, "", backend.CodeProtocol, "its answer to initialize"},
		"no method":           {hello("") + "> session/new\n< {\"id\":$id,\"error\":{\"code\":-32603,\"message\":\"no disk\"}}", backend.Opening{}, "", backend.CodeRefused, "session/new is refused: no disk"},
		"signed out":          {hello(`,"authMethods":[{"id":"a","name":"Login","description":"Run x login"},{"id":"b","name":"Key"}]`) + "> session/new\n< {\"id\":$id,\"error\":{\"code\":-32000,\"message\":\"auth required\"}}", backend.Opening{}, "", backend.CodeRefused, "sign in with the agent itself (Run x login; Key), then try again (auth required)"},
		"signed out, resumed": {hello(`,"agentCapabilities":{"loadSession":true}`) + "> session/load\n< {\"id\":$id,\"error\":{\"code\":-32000,\"message\":\"auth required\"}}", backend.Opening{Session: "s-1"}, "", backend.CodeRefused, "sign in with the agent itself, then"},
		"no modes":            {plainStart, backend.Opening{}, "ask", backend.CodeRefused, `it has no modes, and cannot be set to "ask"`},
		"no option":           {plainStart, backend.Opening{Settings: backend.Settings{Options: map[string]string{"x": "y"}}}, "", backend.CodeRefused, `it has no option "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, Options{Mode: c.mode}, c.frames)
			_, err := w.b.Open(w.ctx, c.opening)
			failed, ok := errors.AsType[*backend.Error](err)
			if !ok || failed.Code != c.code || !strings.Contains(failed.Message, c.text) {
				t.Errorf("the error is %#v", err)
			}
		})
	}
}

// TestNoResume: a session of an agent that cannot resume any is gone.
func TestNoResume(t *testing.T) {
	w := newWire(t, Options{}, hello(""))
	if _, err := w.b.Open(w.ctx, backend.Opening{Session: "s-1"}); !errors.Is(err, backend.ErrGone) {
		t.Errorf("the error is %v", err)
	}
}

// TestSessionParams: an agent receives roots, tool servers and instructions as far as it has a way for them.
func TestSessionParams(t *testing.T) {
	opening := backend.Opening{Roots: []string{"/more"}, Instructions: "Be brief.", Servers: []backend.Server{
		{Name: "files", Command: "/bin/files", Args: []string{"-a"}, Env: map[string]string{"B": "2", "A": "1"}},
		{Name: "bare", Command: "/bin/bare"},
		{Name: "web", URL: "http://x", Headers: map[string]string{"K": "v"}},
		{Name: "old", URL: "http://y", SSE: true},
	}}
	stdio := `"mcpServers":[{"name":"files","command":"/bin/files","args":["-a"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]},{"name":"bare","command":"/bin/bare","args":[],"env":[]}`
	for name, c := range map[string]struct {
		hello string
		notes int
		want  []string
	}{
		"nothing": {"", 2, []string{stdio + `]}`, `"prompt":[{"type":"text","text":"Be brief."},{"type":"text","text":"Go."}]`, `"prompt":[{"type":"text","text":"Go."}]`}},
		"all": {`,"agentCapabilities":{"mcpCapabilities":{"http":true,"sse":true},"sessionCapabilities":{"additionalDirectories":{},"systemPrompt":{}}}`, 0, []string{
			stdio + `,{"type":"http","name":"web","url":"http://x","headers":[{"name":"K","value":"v"}]},{"type":"sse","name":"old","url":"http://y","headers":[]}]`,
			`"additionalDirectories":["/more"]`, `"systemPrompt":{"mode":"append","content":[{"type":"text","text":"Be brief."}]}`, `"prompt":[{"type":"text","text":"Go."}]`,
		}},
		"meta": {`,"agentInfo":{"name":"@zed/claude-agent-acp","version":"1"}`, 2, []string{`"_meta":{"systemPrompt":{"append":"Be brief."}}`, `"prompt":[{"type":"text","text":"Go."}]`}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, Options{}, hello(c.hello)+session("")+updates()+updates())
			a := w.open(opening)
			notes := 0
			for _, u := range append(w.turn(a, nil), w.turn(a, nil)...) {
				if n, ok := u.(backend.Note); ok && n.Code == noticeServer && n.Level == event.Warning {
					notes++
				}
			}
			if notes != c.notes {
				t.Errorf("%d notes, want %d", notes, c.notes)
			}
			w.wantReceived(a, c.want...)
		})
	}
}

// TestClose: a session is closed where the agent has that.
func TestClose(t *testing.T) {
	w := newWire(t, Options{}, hello(`,"agentCapabilities":{"sessionCapabilities":{"close":{}}}`)+session("")+updates())
	a := w.open(backend.Opening{})
	w.turn(a, nil)
	w.wantReceived(a, `"method":"session/prompt"`, `"method":"session/close","params":{"sessionId":"s-1"}`)
}

// TestFork: the protocol forks at the end only, which is known of sessions that the driver has begun.
func TestFork(t *testing.T) {
	fork := "> session/fork\n< {\"id\":$id,\"result\":{\"sessionId\":\"s-2\"}}\n"
	can := `,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"fork":{}}}`
	t.Run("new", func(t *testing.T) {
		w := newWire(t, Options{}, hello(can)+session("")+updates()+fork+fork)
		a := w.open(backend.Opening{})
		w.turn(a, nil)
		for prompts, want := range map[int]error{0: backend.ErrUnsupported, 1: nil, 2: backend.ErrUnsupported, backend.AllPrompts: nil} {
			if id, err := a.Fork(w.ctx, prompts); !errors.Is(err, want) || (err == nil) != (id == "s-2") {
				t.Errorf("the copy of %d prompts is %q, %v", prompts, id, err)
			}
		}
		w.wantReceived(a, `"method":"session/fork","params":{"sessionId":"s-1","cwd":"/work","mcpServers":[]}`)
	})
	t.Run("resumed", func(t *testing.T) {
		w := newWire(t, Options{}, hello(can)+"> session/load\n< {\"id\":$id,\"result\":{}}\n"+updates()+fork)
		a := w.open(backend.Opening{Session: "s-1"})
		w.turn(a, nil)
		for _, prompts := range []int{0, 1, 2} {
			if _, err := a.Fork(w.ctx, prompts); !errors.Is(err, backend.ErrUnsupported) {
				t.Errorf("the copy of %d prompts: %v", prompts, err)
			}
		}
		if id, err := a.Fork(w.ctx, backend.AllPrompts); id != "s-2" {
			t.Errorf("the copy is %q, %v", id, err)
		}
	})
}

// TestSteerOutside: an agent that starts a turn of its own in place of taking a steer has not taken it.
func TestSteerOutside(t *testing.T) {
	w := newWire(t, Options{}, hello(`,"_meta":{"steering":{"supported":true}}`)+session("")+"> _session/steering\n< {\"id\":$id,\"result\":{\"outcome\":\"startedNewTurn\"}}\n")
	a := w.open(backend.Opening{})
	err := a.Steer(w.ctx, backend.Prompt{Blocks: []model.Block{model.TextBlock("More.")}})
	if failed, ok := errors.AsType[*backend.Error](err); !ok || failed.Code != backend.CodeRefused {
		t.Errorf("the error is %v", err)
	}
	w.wantReceived(a, `"prompt":[{"type":"text","text":"More."}],"_meta":{"steering":{"idleBehavior":"promptRequired"}}`)
}
