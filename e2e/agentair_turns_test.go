package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// TestAirDeltas: 20,000 deltas come whole and in order, also to a client that reads nothing
// until the model has said everything, and cost little memory.
func TestAirDeltas(t *testing.T) {
	t.Parallel()
	parts, text := numbered(20_000)
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(parts...), modeltest.Stream(parts...))
	a := b.place(t).air(t)
	idle := a.Memory("VmRSS")
	before := a.Bytes
	a.Say(1, "count")
	all := a.Until("Complete")
	if got := client.AirText(all); got != text {
		t.Errorf("%d bytes of text, want %d, or in another order", len(got), len(text))
	}
	t.Logf("20,000 deltas came in %d lines, %d bytes", len(all), a.Bytes-before)
	stage.Await(t, b.finished, "the first answer")

	a.Say(2, "count again")
	stage.Await(t, b.finished, "the model to finish") // nothing was read until now
	all = a.Until("Complete")
	if got := client.AirText(all); got != text {
		t.Errorf("slow: %d bytes of text, want %d, or in another order", len(got), len(text))
	}
	peak := a.Memory("VmHWM")
	t.Logf("slow: %d lines; resident memory: idle %d KiB, peak %d KiB", len(all), idle>>10, peak>>10)
	if grown := peak - idle; grown > 48<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	a.Leave()
}

// TestAirStalled: a client that has stopped reading can still interrupt, and finds the end of
// the turn when it reads again.
func TestAirStalled(t *testing.T) {
	t.Parallel()
	parts, text := numbered(20_000)
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(append(parts, modeltest.Wait(nil))...))
	a := b.place(t).air(t)
	a.Say(1, "count")
	stage.Await(t, b.arrived, "the request")
	a.SendText(`{"Interrupt":{"session_id":1}}` + "\n")
	stage.Await(t, b.finished, "the request to be given up")
	all := a.Until("Complete")
	if got := client.AirText(all); !strings.HasPrefix(text, got) {
		t.Errorf("the text is not the beginning of what the model said: %d bytes", len(got))
	}
	if done := a.Want("CommandComplete"); done.Command != "interrupt" {
		t.Errorf("%s", done.Raw)
	}
	a.Leave()
}

// TestAirForgets: the model never hears of a turn that was interrupted, in the middle of its
// text or of a tool, nor of what was before a Clear.
func TestAirForgets(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Text("First.")),
		modeltest.Stream(modeltest.Text("Half an"), modeltest.Wait(nil)),
		modeltest.Stream(modeltest.Text("I work."), modeltest.Call("a", "bash", `{"command":"`+stage.Family+`"}`)),
		modeltest.Stream(modeltest.Text("Fourth.")),
		modeltest.Stream(modeltest.Text("Fifth.")))
	p := b.place(t)
	h := stage.Holding(t, p.Work)
	a := p.air(t, "--policy", "auto-approve")
	a.Say(1, "one")
	a.Until("Complete")
	a.Say(2, "two")
	a.Until("TextChunk")
	a.SendText(`{"Interrupt":{"session_id":1}}` + "\n")
	a.Until("CommandComplete")
	a.Say(3, "three")
	h.Started()
	a.SendText(`{"Interrupt":{"session_id":1}}` + "\n")
	a.Until("CommandComplete")
	h.WantGone()
	a.Say(4, "four")
	a.Until("Complete")
	wantConversation(t, b.chatMessages(t, 3), "user one", "assistant First.", "user four")
	a.SendText(`{"Clear":{"session_id":1}}` + "\n")
	a.Until("CommandComplete")
	a.Say(1, "five")
	a.Until("Complete")
	wantConversation(t, b.chatMessages(t, 4), "user five")
	a.Leave()
}

// wantConversation compares what was said, but for the instructions.
func wantConversation(t *testing.T, conversation []stage.Message, want ...string) {
	t.Helper()
	var got []string
	for _, m := range conversation {
		if m.Role != "system" && m.Role != "developer" {
			got = append(got, m.Role+" "+m.Text)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the model was sent %q, want %q", got, want)
	}
}

// TestAirTenCalls: of ten calls at once half are denied; the model gets the right results in
// the order of its calls, whatever order they ended in.
func TestAirTenCalls(t *testing.T) {
	t.Parallel()
	var parts []modeltest.Part
	var denied []string
	for i := range 10 {
		command := fmt.Sprintf("echo %d > ran%d; echo result %d", i, i, i)
		if i == 0 { // the first is the last to end
			command = "until [ -e ran2 -a -e ran4 -a -e ran6 -a -e ran8 ]; do sleep 0.02; done; echo result 0"
		}
		if i%2 == 1 {
			denied = append(denied, fmt.Sprintf("%q", fmt.Sprintf("c%d", i)))
		}
		parts = append(parts, modeltest.Call(fmt.Sprintf("c%d", i), "bash", fmt.Sprintf(`{"command":%q}`, command)))
	}
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(parts...), modeltest.Stream(modeltest.Text("Ten.")))
	a := b.place(t).air(t)
	a.Say(1, "ten")
	asked := a.Until("BatchPermissionRequired")
	a.SendText(fmt.Sprintf(`{"BatchPermissionResponse":{"batch_id":%q,"approved_requests":["c8","c0","c2","c4","c6"],"denied_requests":[%s]}}`+"\n",
		asked[len(asked)-1].BatchID, strings.Join(denied, ",")))
	ended := map[string]int{}
	for _, line := range a.Until("Complete") {
		if line.Variant == "ToolCompleted" {
			ended[line.ToolUseID]++
		}
	}
	conversation := b.chatMessages(t, 1)
	stage.CheckPaired(t, conversation)
	results := conversation[len(conversation)-10:]
	for i, m := range results {
		id, want := fmt.Sprintf("c%d", i), fmt.Sprintf("result %d\n", i)
		if i%2 == 1 {
			want = "Permission denied by user"
		}
		if m.Role != "tool" || m.Result != id || m.Text != want || ended[id] != 1 {
			t.Errorf("call %d: the model is sent %+v, and it ended %d times", i, m, ended[id])
		}
	}
	a.Leave()
}

// TestAirMetadata: what came along with a message stays here.
func TestAirMetadata(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Hi.")))
	a := b.place(t).air(t)
	a.SendText(`{"session_id":1,"content":"hello","turn_id":{"role":"User","sequence":1},"metadata":{"mark":"metadata-mark"}}` + "\n")
	for _, line := range a.Until("Complete") {
		if strings.Contains(line.Raw, "metadata-mark") {
			t.Errorf("it is echoed: %s", line.Raw)
		}
	}
	if sent := fmt.Sprint(b.Requests()[0].Body); strings.Contains(sent, "metadata-mark") {
		t.Errorf("it is sent to the model: %s", sent)
	}
	a.Leave()
}
