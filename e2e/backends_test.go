package e2e

import (
	"strings"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// wires is every protocol that a model is asked in.
var wires = map[string]modeltest.Wire{
	"chat": modeltest.OpenAIChat, "responses": modeltest.OpenAIResponses, "anthropic": modeltest.Anthropic,
}

// TestBackends plays one turn with each kind of backend: text, a tool call that is allowed
// and prints its environment, and the answer to it.
func TestBackends(t *testing.T) {
	t.Parallel()
	for name, wire := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, wire,
				modeltest.Stream(modeltest.Text("I "), modeltest.Text("look. ü😀"), modeltest.Call("call_1", "bash", `{"command":`, `"env; echo $((6*7))"}`), modeltest.Usage(model.Usage{Input: 700, Output: 20})).SplitEvery(5),
				modeltest.Stream(modeltest.Text("It is 42."), modeltest.Usage(model.Usage{Input: 800, Output: 9})))
			p := b.place(t)
			p.Write(t, "AGENTS.md", "Use tabs, says AGENTS.\n")
			p.Write(t, "SCAIFLUX.md", "Be brief, says SCAIFLUX.\n")
			s := p.serve(t)
			if s.Ready.Model != p.Model {
				t.Errorf("ready says %s, want model %s", s.Ready.Raw, p.Model)
			}
			s.Prompt("What is six times seven?")
			all := s.WantCompleted()
			checkFirstTurn(t, all)
			checkRequests(t, b)
			if code := s.Exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if strings.Contains(s.Stderr.String(), key) {
				t.Error("the key is on standard error")
			}
			wantNoKey(t, p.Home, p.Work)
		})
	}
}

func checkFirstTurn(t *testing.T, all client.Messages) {
	t.Helper()
	want := "turn_started text_delta tool_start permission_request tool_result text_delta turn_complete"
	if got := all.Types(); got != want {
		t.Errorf("there was\n%s, want\n%s", got, want)
	}
	if got := all.Text(); got != "I look. ü😀It is 42." {
		t.Errorf("the text is %q", got)
	}
	result := all.Of("tool_result").Last()
	if result.IsError || !strings.HasSuffix(result.Output, "\n42\n") || !strings.Contains(result.Output, "PATH=") {
		t.Errorf("the tool said %s", result.Raw)
	}
	if strings.Contains(result.Output, key) || strings.Contains(result.Output, "API_KEY") {
		t.Errorf("the tool sees the key: %s", result.Output)
	}
	if end := all.Last(); end.Iterations != 1 || end.InputTokens != 1500 || end.OutputTokens != 29 {
		t.Errorf("%s", end.Raw)
	}
}

// checkRequests checks the requests to the model.
func checkRequests(t *testing.T, b *backend) {
	t.Helper()
	requests := b.Requests()
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	for i, r := range requests {
		if !strings.HasSuffix(r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"), key) {
			t.Errorf("request %d has no key", i)
		}
		for _, text := range []string{"Use tabs, says AGENTS.", "Be brief, says SCAIFLUX.", "six times seven", `"read_file"`, `"old_string"`, `"additionalProperties"`} {
			if !strings.Contains(r.Raw, text) {
				t.Errorf("request %d does not say %s", i, text)
			}
		}
		if strings.Contains(r.Raw, key) {
			t.Errorf("the body of request %d holds the key", i)
		}
	}
	if !strings.Contains(requests[1].Raw, `call_1`) || !strings.Contains(requests[1].Raw, `\n42\n`) {
		t.Errorf("the result did not reach the model: %s", requests[1].Raw)
	}
}

// TestSecondPromptUnderWay: while the model answers, a second prompt is refused, and the
// answer goes on as if nothing had been.
func TestSecondPromptUnderWay(t *testing.T) {
	t.Parallel()
	refused := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("One"), modeltest.Wait(refused), modeltest.Text(".")))
	s := b.place(t).serve(t)
	s.SendText(`{"type":"prompt","text":"first"}` + "\n" + `{"type":"prompt","text":"second"}` + "\n")
	all := s.Until("error")
	if e := all.Last(); e.Code != "turn_in_progress" || e.TurnID != "" || all[0].Type != "turn_started" {
		t.Fatalf("%s, %s", all.Types(), e.Raw)
	}
	close(refused)
	all = append(all, s.WantCompleted()...)
	if got := all.Text(); got != "One." {
		t.Errorf("the text is %q", got)
	}
	if n := len(b.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestInterruptedCallsArePaired: calls that an interrupt left have results in the next request.
func TestInterruptedCallsArePaired(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Call("a", "bash", `{"command":"true"}`), modeltest.Call("b", "read_file", `{"path":"x"}`), modeltest.Call("c", "no_such_tool", `{}`)),
		modeltest.Stream(modeltest.Text("All right.")))
	s := b.place(t).serve(t)
	s.Prompt("go")
	s.Until("permission_request")
	s.Send(map[string]string{"type": "interrupt"})
	if end := s.Until("turn_complete").Last(); end.StopReason != "interrupted" {
		t.Fatal(end.Raw)
	}
	s.Prompt("never mind")
	s.WantCompleted()
	conversation := b.chatMessages(t, 1)
	stage.CheckPaired(t, conversation)
	results := map[string]string{}
	for _, m := range conversation {
		if m.Role == "tool" {
			results[m.Result] = m.Text
		}
	}
	if results["a"] != "interrupted by controller" || !strings.Contains(results["b"], "not run") || !strings.Contains(results["c"], "not run") {
		t.Errorf("the model received the results %q", results)
	}
}
