package e2e

import (
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// numbered returns an answer of n deltas, each of which says its number.
func numbered(n int) (parts []modeltest.Part, text string) {
	var all strings.Builder
	for i := range n {
		piece := fmt.Sprintf("%d ", i)
		all.WriteString(piece)
		parts = append(parts, modeltest.Text(piece))
	}
	return parts, all.String()
}

// TestSlowReader: a controller that reads nothing until the model has said everything
// gets everything, in order, and costs the server no memory to speak of.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	parts, text := numbered(20_000)
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(parts...))
	s := b.place(t).serve(t)
	idle := s.Memory("VmRSS")
	s.Prompt("count")
	stage.Await(t, b.finished, "the model to finish") // nothing was read until now
	all := s.WantCompleted()
	if got := all.Text(); got != text {
		t.Errorf("%d bytes of text, want %d, or in another order", len(got), len(text))
	}
	peak := s.Memory("VmHWM")
	t.Logf("20,000 deltas came in %d pieces; resident memory: idle %d KiB, peak %d KiB", len(all.Of("text_delta")), idle>>10, peak>>10)
	if grown := peak - idle; grown > 48<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

// TestStalledReader: a controller that has stopped reading can still interrupt, and finds
// the end of the turn when it reads again.
func TestStalledReader(t *testing.T) {
	t.Parallel()
	parts, text := numbered(20_000)
	stalled := make(chan struct{})
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(append(parts, modeltest.Wait(stalled))...))
	s := b.place(t).serve(t)
	s.Prompt("count")
	stage.Await(t, b.arrived, "the request")
	s.Send(map[string]string{"type": "interrupt"})
	stage.Await(t, b.finished, "the request to be given up")
	all := s.Turn()
	if all.Last().StopReason != "interrupted" {
		t.Errorf("%s", all.Last().Raw)
	}
	if got := all.Text(); !strings.HasPrefix(text, got) {
		t.Errorf("the text is not the beginning of what the model said: %d bytes", len(got))
	}
}

// TestFloodingTool: a tool that prints 200 MB costs 100 KiB of result, head and tail, and
// little memory.
func TestFloodingTool(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Call("a", "bash", `{"command":"echo first; yes | head -c 200000000; echo last"}`)), modeltest.Stream(modeltest.Text("Much.")))
	s := b.place(t).serve(t)
	s.Prompt("flood")
	result := s.WantCompleted().Of("tool_result").Last()
	if n := len(result.Output); n > 100<<10 || n < 90<<10 || result.IsError {
		t.Errorf("%d bytes of output, error %t", n, result.IsError)
	}
	if !strings.HasPrefix(result.Output, "first\ny\n") || !strings.Contains(result.Output, "y\nlast\n[the whole output is in ") {
		t.Errorf("head or tail is missing: %.20q … %q", result.Output, result.Output[len(result.Output)-20:])
	}
	if messages := b.chatMessages(t, 1); messages[len(messages)-1].Text != result.Output {
		t.Error("the model sees something else than the controller")
	}
	peak := s.Memory("VmHWM")
	t.Logf("peak memory %d MiB", peak>>20)
	if peak > 160<<20 {
		t.Errorf("peak memory is %d MiB", peak>>20)
	}
}
