package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// TestRepeatedFailures: a model that repeats the same failing call receives a warning, and is then
// stopped. Other calls between them do not matter; results that differ do.
func TestRepeatedFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		input  func(step int) string
		result func(step int) tool.Result
		steps  int // when the turn ended
		reason event.TurnReason
		noted  bool
	}{
		{"the same", func(int) string { return "x" }, func(int) tool.Result { return tool.Failed("no such file") }, 10, event.TurnFailed, true},
		{"every second step", func(n int) string { return fmt.Sprint(n % 2 * n) }, func(int) tool.Result { return tool.Failed("no such file") }, 19, event.TurnFailed, true},
		{"other inputs", func(n int) string { return fmt.Sprint(n) }, func(int) tool.Result { return tool.Failed("no such file") }, 30, event.TurnCompleted, false},
		{"other results", func(int) string { return "x" }, func(n int) tool.Result { return tool.Failed(fmt.Sprint(n)) }, 30, event.TurnCompleted, false},
		{"successes", func(int) string { return "x" }, func(int) tool.Result { return tool.Result{Text: "still running"} }, 30, event.TurnCompleted, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			step := 0
			look := lookTool()
			look.run = func(context.Context, tool.Hooks, string) tool.Result { return c.result(step) }
			w := &worker{next: func(n int) []model.Call {
				if step = n; n == 30 {
					return nil
				}
				return []model.Call{toolCall(fmt.Sprint("c", n), "look", `{"text":"`+c.input(n)+`"}`)}
			}}
			b := w.answers(newBench(t, []fakeTool{look}), 40)
			s := b.session(t, nil)
			turn := turnOf(t, s, "go", nil)
			end := ended(t, turn)
			steps := len(b.requests())
			if end.Reason == event.TurnCompleted {
				steps--
			}
			if end.Reason != c.reason || steps != c.steps {
				t.Errorf("it ended %s after %d steps: %+v", end.Reason, steps, end.Failure)
			}
			if c.reason == event.TurnFailed && (end.Failure.Kind != FailLoop || end.Failure.Message != "the model repeats a call that fails") {
				t.Errorf("the failure is %+v", end.Failure)
			}
			notes := find[event.ContextNote](turn)
			if noted := len(notes) == 1 && strings.Contains(notes[0].Text, "has failed 5 times"); noted != c.noted || !noted && len(notes) > 0 {
				t.Errorf("the notes are %+v", notes)
			}
		})
	}
}

// TestEmptyAnswers: an answer with nothing in it is requested once more. Twice is a failure where the turn has
// done nothing, and else a notice.
func TestEmptyAnswers(t *testing.T) {
	nothing := func(stop model.Stop, blocks ...model.Block) answerFunc {
		return func(_ context.Context, req *model.Request, yield func(model.Delta, error) bool) {
			respond(req, stop, blocks, yield)
		}
	}
	empty := nothing(model.StopEnd)
	thought := model.Block{Kind: model.KindThinking, Text: "hm"}
	look := call(toolCall("c", "look", `{}`))
	for _, c := range []struct {
		name    string
		answers []answerFunc
		want    []string
	}{
		{"once", []answerFunc{empty, say("done")}, []string{"prompt: go", "model: ", "model: done", "ended completed"}},
		{"twice", []answerFunc{empty, empty}, []string{"prompt: go", "model: ", "model: ", "ended failed"}},
		{"blank", []answerFunc{nothing(model.StopEnd, model.TextBlock(" \n")), empty}, []string{"prompt: go", "model:  \n", "model: ", "ended failed"}},
		{"only reasoning", []answerFunc{nothing(model.StopEnd, thought), say("done")}, []string{"prompt: go", "model: ", "model: done", "ended completed"}},
		{"only reasoning, up to the limit", []answerFunc{nothing(model.StopTokens, thought), nothing(model.StopTokens, thought)}, []string{"prompt: go", "model: ", "model: ", "empty_answer: " + emptyAnswer, "ended max_tokens"}},
		{"after work", []answerFunc{look, empty, empty}, []string{"prompt: go", "model: ", "model: ", "model: ", "empty_answer: " + emptyAnswer, "ended completed"}},
		{"refused", []answerFunc{nothing(model.StopRefused)}, []string{"prompt: go", "model: ", "ended refused"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, []fakeTool{lookTool()}, c.answers...)
			turn := turnOf(t, b.session(t, nil), "go", nil)
			equal(t, "the turn", inOrder(turn), c.want)
			if end := ended(t, turn); end.Reason == event.TurnFailed && end.Failure.Message != emptyAnswer {
				t.Errorf("it failed with %+v", end.Failure)
			}
		})
	}
}
