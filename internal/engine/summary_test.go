package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool"
)

// A worker is a model that calls the tools of next until that returns none, and counts tokens as
// providers do. Summaries it writes with summary; nil: "summary <n>".
type worker struct {
	next      func(step int) []model.Call
	summary   answerFunc
	steps     int
	summaries []model.Request
	after     []model.Request // the requests that follow those for a summary
	fresh     bool            // the last request was for a summary
}

// answers makes w the model of b.
func (w *worker) answers(b *bench, n int) *bench {
	b.answers = slices.Repeat([]answerFunc{w.answer}, n)
	return b
}

func (w *worker) answer(ctx context.Context, req *model.Request, yield func(model.Delta, error) bool) {
	if req.System == compactText {
		w.fresh = true
		w.summaries = append(w.summaries, *req)
		if w.summary != nil {
			w.summary(ctx, req, yield)
			return
		}
		respond(req, model.StopEnd, []model.Block{model.TextBlock(fmt.Sprintf("summary %d", len(w.summaries)))}, yield)
		return
	}
	if w.fresh {
		w.after, w.fresh = append(w.after, *req), false
	}
	calls := w.next(w.steps)
	w.steps++
	if len(calls) == 0 {
		respond(req, model.StopEnd, []model.Block{model.TextBlock("done")}, yield)
		return
	}
	var blocks []model.Block
	for _, c := range calls {
		blocks = append(blocks, model.Block{Kind: model.KindToolCall, Call: &c})
	}
	respond(req, model.StopTools, blocks, yield)
}

// respond answers with blocks, and counts four bytes of the request as a token.
func respond(req *model.Request, stop model.Stop, blocks []model.Block, yield func(model.Delta, error) bool) {
	m := model.Message{Role: model.Assistant, Blocks: blocks}
	yield(model.Delta{Kind: model.Done, Response: &model.Response{
		Message: m, Stop: stop, Usage: model.Usage{Input: requestBytes(req) / 4, Output: session.MessageBytes(m) / 4},
	}}, nil)
}

func requestBytes(req *model.Request) int {
	n := len(req.System) + toolBytes(req.Tools)
	for _, m := range req.Messages {
		n += session.MessageBytes(m)
	}
	return n
}

// allText returns everything that a request says.
func allText(req model.Request) string {
	return req.System + shownTo(req.Messages)
}

// looks returns n calls of look in step.
func looks(step, n int) (calls []model.Call) {
	for i := range n {
		calls = append(calls, toolCall(fmt.Sprintf("c%d-%d", step, i), "look", `{"text":"`+fmt.Sprintf("%d-%d", step, i)+`"}`))
	}
	return calls
}

// TestSummaryKeepsTheTask works for 120 steps, and expects the task and the earlier summary in each
// request for a summary, and the task in the first request after it.
func TestSummaryKeepsTheTask(t *testing.T) {
	w := &worker{next: func(step int) []model.Call {
		if step == 120 {
			return nil
		}
		return looks(step, 4)
	}}
	look := lookTool()
	look.run = func(context.Context, tool.Hooks, string) tool.Result {
		return tool.Result{Text: strings.Repeat("0123456789abcde\n", 113)}
	}
	b := w.answers(newBench(t, []fakeTool{look}), 200)
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Compact = WindowShares{At: 0.85, Keep: 0.2} })
	turn := turnOf(t, s, "TASK-MARK: rename Foo to Bar, never touch vendor/", nil)
	if end := ended(t, turn); end.Reason != event.TurnCompleted || len(w.summaries) < 2 {
		t.Fatalf("the turn ended %s after %d summaries: %+v", end.Reason, len(w.summaries), end.Failure)
	}
	for n, req := range w.summaries {
		if !strings.Contains(allText(req), "TASK-MARK") {
			t.Errorf("the request for summary %d does not have the task", n+1)
		}
		if earlier := fmt.Sprintf("# Earlier summary\n\nsummary %d\n", n); n > 0 && !strings.Contains(allText(req), earlier) {
			t.Errorf("the request for summary %d does not have the one before", n+1)
		}
		if tokens := requestBytes(&req)/4 + req.MaxTokens; tokens > scriptInfo.ContextWindow {
			t.Errorf("the request for summary %d has %d tokens", n+1, tokens)
		}
	}
	for n, req := range w.after {
		text := allText(req)
		if !strings.Contains(text, "TASK-MARK") || !strings.Contains(text, fmt.Sprintf("summary %d\n", n+1)) {
			t.Errorf("the request after summary %d does not have the task and the summary", n+1)
		}
	}
	checkBytes(t, s)
}

// TestSummaryIsWhole: an answer that is no whole summary is requested once more, and accepted never.
func TestSummaryIsWhole(t *testing.T) {
	answer := func(stop model.Stop, text string) answerFunc {
		return func(_ context.Context, req *model.Request, yield func(model.Delta, error) bool) {
			respond(req, stop, []model.Block{model.TextBlock(text)}, yield)
		}
	}
	whole := answer(model.StopEnd, "whole")
	for _, c := range []struct {
		name  string
		first answerFunc
		err   string
	}{
		{"cut", answer(model.StopTokens, "Half a summ"), "summary: cut at the limit of 16384 tokens"},
		{"empty", answer(model.StopEnd, " "), "summary: the model wrote none"},
		{"only reasoning", answer(model.StopTokens, ""), "summary: cut at the limit of 16384 tokens"},
		{"refused", answer(model.StopRefused, "I cannot"), "summary: the model refused to write it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, nil, say("one"), c.first, c.first, c.first, whole)
			b.info = scriptInfo
			b.info.Thinking = []model.Thinking{model.Medium, model.Low, model.High}
			s := b.session(t, nil)
			ended(t, turnOf(t, s, strings.Repeat("word ", 2000), nil))
			_, err := compactNow(s, "")
			failure, ok := errors.AsType[*model.Error](err)
			if !ok || failure.Message != c.err {
				t.Fatalf("it ended with %v, want %s", err, c.err)
			}
			requests := b.requests()
			if len(requests) != 3 || requestBytes(&requests[2]) >= requestBytes(&requests[1]) {
				t.Errorf("%d requests; the last two have %d and %d bytes", len(requests), requestBytes(&requests[1]), requestBytes(&requests[2]))
			}
			for _, req := range requests[1:] {
				if req.Thinking != model.Low || req.MaxTokens != 16_384 {
					t.Errorf("a summary was requested with thinking %q and %d tokens", req.Thinking, req.MaxTokens)
				}
			}
			if done, err := compactNow(s, ""); err != nil || done.Summary != "whole" || done.Usage.Input != requestBytes(&requests[1])/4+requestBytes(&requests[2])/4 {
				t.Errorf("the next compaction: %+v, %v", done, err)
			}
		})
	}
}

// TestSummariserReadsEnds: of a long result the summariser reads the beginning and the end.
func TestSummariserReadsEnds(t *testing.T) {
	look := lookTool()
	look.run = func(context.Context, tool.Hooks, string) tool.Result {
		return tool.Failed("first line\n" + strings.Repeat("n\n", 9000) + "FAIL: TestImportant panics at x.go:77\n[exit code 1]")
	}
	w := &worker{next: func(step int) []model.Call { return looks(step, 1-min(step, 1)) }}
	b := w.answers(newBench(t, []fakeTool{look}), 9)
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "go", nil))
	if _, err := compactNow(s, ""); err != nil {
		t.Fatal(err)
	}
	asked := allText(w.summaries[0])
	for _, want := range []string{"first line", "FAIL: TestImportant panics at x.go:77\n[exit code 1]", "bytes left out"} {
		if !strings.Contains(asked, want) {
			t.Errorf("the summariser did not read %q", want)
		}
	}
}

// TestCarryover: the plan, the files and the skills are in the request after a compaction, also after
// a second one, and after a resume.
func TestCarryover(t *testing.T) {
	look := lookTool()
	work := workTool(func(_ context.Context, h tool.Hooks, _ string) tool.Result {
		h.Plan([]event.PlanItem{{Text: "write the parser", Status: event.InProgress}, {Text: "read the code", Status: event.Completed}})
		return tool.Result{Text: "done", Changes: []event.FileChange{{Path: "parser.go"}}}
	})
	read, skill := look, look
	read.name, skill.name = "open", "load"
	w := &worker{next: func(step int) []model.Call {
		if step > 0 {
			return nil
		}
		return []model.Call{
			toolCall("c1", "open", `{"file":"lexer.go"}`), toolCall("c2", "work", `{}`), toolCall("c3", "open", `{"file":"parser.go"}`),
			toolCall("c4", "load", `{"name":"go-style"}`), toolCall("c5", "open", `{"file":"../other/x.go"}`),
		}
	}}
	b := w.answers(newBench(t, []fakeTool{read, skill, work}), 9)
	toolset := func(o *Options) {
		anything := jsontext.Value(`{"type":"object"}`)
		b.tools["read"], b.tools["skill"] = read, skill
		o.Toolset = []Binding{
			{Name: "work", Tool: "work"},
			{Name: "load", Tool: "skill", Schema: anything},
			{Name: "open", Tool: "read", Schema: anything, Adapt: func(in jsontext.Value) (jsontext.Value, error) {
				return jsontext.Value(strings.Replace(string(in), "file", "path", 1)), nil
			}},
		}
	}
	s := b.session(t, func(o *Options, _ *event.Settings) { toolset(o) })
	ended(t, turnOf(t, s, "go", nil))
	const want = `# State when the summary was written

Plan:
- [in_progress] write the parser
- [completed] read the code
Files changed, the last first:
- parser.go
Files read, the last first:
- ../other/x.go
- lexer.go
Skills loaded:
- go-style`
	for _, name := range []string{"first", "second"} {
		if _, err := compactNow(s, ""); err != nil {
			t.Fatal(err)
		}
		turn := turnOf(t, s, "more", nil)
		ended(t, turn)
		if text := allText(w.after[len(w.after)-1]); !strings.Contains(text, want) {
			t.Errorf("after the %s compaction the model was sent %s", name, text)
		}
	}
}
