package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// kinds is which kinds of records there are of calls, and of which, in order.
func callRecords(records []event.Record) (all []string) {
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.ToolIntended:
			all = append(all, "intended "+string(e.Call))
		case event.ApprovalAsked:
			all = append(all, "asked "+string(e.Call))
		case event.ToolStarted:
			all = append(all, "started "+string(e.Call))
		case event.ToolEnded:
			all = append(all, "ended "+string(e.Call))
		}
	}
	return all
}

// TestInOrder: calls with effects run one after the other, in the model's order; users are
// asked about all of them at once, in that order too, whatever order they answer in.
func TestInOrder(t *testing.T) {
	running := 0
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		running++ // a race, were there two at once
		return tool.Result{Text: fmt.Sprint(running)}
	})
	b := newBench(t, []fakeTool{work, lookTool()},
		call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`), toolCall("c", "look", `{}`), toolCall("d", "work", `{}`)), say("ok"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Calls, o.Approvals = ParallelReads, ApproveEveryCall{}
	})
	defer s.Attach(ClientInfo{}).Detach()
	var asked []event.ApprovalID
	records := turnOf(t, s, "go", func(rec event.Record) {
		if e, ok := rec.Event.(event.ApprovalAsked); ok {
			asked = append(asked, e.ID)
		}
		if len(asked) == 4 {
			for i := range asked {
				if err := s.anyClient().Answer(asked[len(asked)-1-i], Decision{Allow: true}); err != nil {
					t.Error(err)
				}
			}
			asked = nil
		}
	})
	ended(t, records)
	all := callRecords(records)
	equal(t, "the beginning", all[:8], []string{
		"intended a", "intended b", "intended c", "intended d", "asked a", "asked b", "asked c", "asked d",
	})
	equal(t, "the rest", all[8:], []string{
		"started a", "ended a", "started b", "ended b", "started c", "ended c", "started d", "ended d",
	})
	for i, want := range []string{"1", "2", "seen", "3"} {
		if got := find[event.ToolEnded](records)[i].Output; got != want {
			t.Errorf("call %d said %q, want %q", i, got, want)
		}
	}
}

// TestReadersTogether: calls that change nothing do not wait for each other.
func TestReadersTogether(t *testing.T) {
	first, second := make(chan struct{}), make(chan struct{})
	meet := fakeTool{"meet", approval.Read, func(_ context.Context, _ tool.Hooks, input string) tool.Result {
		mine, other := first, second
		if input == `{"text":"b"}` {
			mine, other = second, first
		}
		close(mine)
		<-other
		return tool.Result{Text: "met"}
	}}
	for _, order := range []CallOrder{Parallel, ParallelReads} {
		first, second = make(chan struct{}), make(chan struct{})
		b := newBench(t, []fakeTool{meet}, call(toolCall("a", "meet", `{"text":"a"}`), toolCall("b", "meet", `{"text":"b"}`)), say("ok"))
		s := b.session(t, func(o *Options, _ *event.Settings) { o.Calls = order })
		ended(t, turnOf(t, s, "go", nil))
	}
}

// TestInterruptInOrder: a call that was allowed and still waits for its turn does not run
// once the turn is interrupted.
func TestInterruptInOrder(t *testing.T) {
	var s *Session
	ran := 0
	work := workTool(func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
		ran++
		s.Interrupt()
		<-ctx.Done()
		return tool.Failed("interrupted")
	})
	b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`)), say("ok"))
	s = b.session(t, func(o *Options, _ *event.Settings) { o.Calls = ParallelReads })
	records := turnOf(t, s, "go", nil)
	if end := ended(t, records); end.Reason != event.TurnInterrupted || ran != 1 {
		t.Errorf("%+v, %d calls ran", end, ran)
	}
}

// A preparedTool is a fakeTool that calls prepare before each call.
type preparedTool struct {
	fakeTool
	prepare func() error
}

func (p preparedTool) Prepare(env *tool.Env, input jsontext.Value) (tool.Call, error) {
	if err := p.prepare(); err != nil {
		return nil, err
	}
	return p.fakeTool.Prepare(env, input)
}

// TestStartsBeforeEnds wants the starts of calls that run at the same time before the first end,
// however late one of them begins. "slow" is a look that begins when nothing else can happen.
func TestStartsBeforeEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		order CallOrder
		calls string
		want  string
	}{
		{"in order", ParallelReads, "look slow", "started a, started b, ended, ended"},
		{"side by side", Parallel, "work slow", "started a, started b, ended, ended"},
		{"a call that fails has no start", ParallelReads, "look fail slow", "started a, ended, started c, ended, ended"},
		{"not after a call with effects", ParallelReads, "look work slow", "started a, ended, started b, ended, started c, ended"},
		{"effects among readers", ParallelReads, "look slow work look slow", "started a, started b, ended, ended, started c, ended, started d, started e, ended, ended"},
		{"effects first", ParallelReads, "work look slow", "started a, ended, started b, started c, ended, ended"},
		{"not an approval", ParallelReads, "look asked slow", "started a, started c, ended, ended, started b, ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, []fakeTool{lookTool(), workTool(func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "done"} })})
				slow, failing, asked := lookTool(), lookTool(), lookTool()
				slow.name, failing.name, asked.name = "slow", "fail", "asked"
				waiting := make(chan struct{}, 1) // one goroutine at a time may call synctest.Wait
				b.tools["slow"] = preparedTool{slow, func() error {
					waiting <- struct{}{}
					defer func() { <-waiting }()
					synctest.Wait()
					return nil
				}}
				b.tools["fail"] = preparedTool{failing, func() error { return errors.New("unfit") }}
				b.tools["asked"] = asked
				var calls []model.Call
				for i, name := range strings.Fields(c.calls) {
					calls = append(calls, toolCall(string(rune('a'+i)), name, `{}`))
				}
				b.answers = []answerFunc{call(calls...), say("ok")}
				s := b.session(t, func(o *Options, settings *event.Settings) {
					o.Calls, o.Approvals = c.order, ApproveByMode{[]approval.Rule{{Tool: "asked", Verdict: approval.Ask}}}
				})
				defer s.Attach(ClientInfo{}).Detach()
				ends := 0
				records := turnOf(t, s, "go", func(rec event.Record) {
					if _, ok := rec.Event.(event.ToolEnded); !ok {
						return
					}
					if ends++; ends != 2 || !strings.Contains(c.calls, "asked") {
						return
					}
					if err := s.anyClient().Answer("a-1", Decision{Allow: true}); err != nil {
						t.Error(err)
					}
				})
				ended(t, records)
				var got []string
				for _, one := range callRecords(records) {
					what, _, _ := strings.Cut(one, " ")
					switch what {
					case "started":
						got = append(got, one)
					case "ended":
						got = append(got, what)
					}
				}
				if got := strings.Join(got, ", "); got != c.want {
					t.Errorf("%s\nwant %s", got, c.want)
				}
			})
		})
	}
}

// TestInterruptBeforeStarts: a call that waits for the start of another does not run once the
// turn is interrupted.
func TestInterruptBeforeStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *Session
		ran := false
		read := fakeTool{"read", approval.Read, func(context.Context, tool.Hooks, string) tool.Result {
			ran = true
			return tool.Result{Text: "seen"}
		}}
		b := newBench(t, []fakeTool{read}, call(toolCall("a", "read", `{}`), toolCall("b", "slow", `{}`)))
		slow := lookTool()
		slow.name = "slow"
		b.tools["slow"] = preparedTool{slow, func() error {
			synctest.Wait()
			s.Interrupt()
			synctest.Wait()
			return nil
		}}
		s = b.session(t, func(o *Options, _ *event.Settings) { o.Calls = ParallelReads })
		records := turnOf(t, s, "go", nil)
		if end := ended(t, records); end.Reason != event.TurnInterrupted || ran {
			t.Errorf("%+v, the call ran: %t", end, ran)
		}
		if got := result(t, records, "a").Outcome; got != event.Interrupted {
			t.Errorf("the waiting call ended %s", got)
		}
	})
}
