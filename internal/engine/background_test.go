//go:build unix

package engine

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/background"
)

// TestBackgroundEndIsReported: the model reads once that a background command has ended, before the next
// prompt or in the turn; with the session its commands end.
func TestBackgroundEndIsReported(t *testing.T) {
	start := func(command string) answerFunc {
		return call(toolCall("", "background", `{"action":"start","command":"`+command+`"}`))
	}
	var s *Session
	ended := func() {
		for len(s.work.background.Running()) > 0 {
			runtime.Gosched()
		}
	}
	wait := fakeTool{"look", approval.Read, func(context.Context, tool.Hooks, string) tool.Result {
		ended()
		return tool.Result{Text: "seen"}
	}}
	b := newBench(t, []fakeTool{wait}, start("exit 3"), say("a"), start("true"), call(toolCall("", "look", `{}`)), say("b"), say("c"))
	b.tools["background"] = tool.BackgroundAll()
	s = commanding(t, b, nil)
	s.mu.Lock()
	s.work.background = background.New()
	s.work.env.Background = s.work.background
	s.mu.Unlock()

	turnOf(t, s, "one", nil)
	ended()
	turnOf(t, s, "two", nil)
	turnOf(t, s, "three", nil)
	count := func(request int, text string) (n int) {
		for _, m := range b.requests()[request].Messages {
			n += strings.Count(m.Text(), text)
		}
		return n
	}
	for request, want := range map[int][2]int{2: {1, 0}, 4: {1, 1}, 5: {1, 1}} {
		if got := [2]int{count(request, "b1: exit 3: exit code 3"), count(request, "b2: true: exit code 0")}; got != want {
			t.Errorf("request %d reports %v, want %v", request+1, got, want)
		}
	}
	messages := b.requests()[2].Messages
	if last := messages[len(messages)-1].Text(); last != "two" {
		t.Errorf("the prompt is not the last of its request: %q", last)
	}
}
