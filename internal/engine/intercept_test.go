package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// around is a CallInterceptor of two functions.
type around struct {
	before func(model.Call) Ruling
	after  func(event.ToolEnded) event.ToolEnded
}

func (a around) BeforeCall(_ context.Context, call model.Call) Ruling { return a.before(call) }

func (a around) AfterCall(_ context.Context, _ model.Call, ended event.ToolEnded) event.ToolEnded {
	if a.after == nil {
		return ended
	}
	return a.after(ended)
}

// TestInterceptor: a plugin can keep a call from running, change its input and its result; a panic in it refuses before, and changes nothing after.
func TestInterceptor(t *testing.T) {
	with := func(input string) func(model.Call) Ruling {
		return func(model.Call) Ruling { return Ruling{Input: jsontext.Value(input)} }
	}
	pass := func(model.Call) Ruling { return Ruling{} }
	for _, test := range []struct {
		name    string
		m       around
		ran     string // the input that the tool has seen; "": it did not run
		output  string
		outcome event.Outcome
		notice  bool
	}{
		{name: "nothing", m: around{before: pass}, ran: `{"text":"a"}`, output: `did {"text":"a"}`, outcome: event.Succeeded},
		{
			name: "refused", m: around{before: func(c model.Call) Ruling { return Ruling{Refused: true, Reason: "not " + c.Name} }},
			output: "not work", outcome: event.Denied,
		},
		{name: "rewritten", m: around{before: with(`{"text":"b"}`)}, ran: `{"text":"b"}`, output: `did {"text":"b"}`, outcome: event.Succeeded, notice: true},
		{name: "rewritten to what does not fit", m: around{before: with(`{"text":1}`)}, output: "text", outcome: event.Failed},
		{name: "a panic before", m: around{before: func(model.Call) Ruling { panic("x") }}, output: "failed inside: x", outcome: event.Denied},
		{
			name: "the last word", ran: `{"text":"a"}`, output: "other", outcome: event.Failed,
			m: around{pass, func(e event.ToolEnded) event.ToolEnded {
				return event.ToolEnded{Call: "of another", Outcome: event.Failed, Output: "other"}
			}},
		},
		{name: "a panic after", m: around{pass, func(event.ToolEnded) event.ToolEnded { panic("x") }}, ran: `{"text":"a"}`, output: `did {"text":"a"}`, outcome: event.Succeeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			ran := ""
			work := workTool(func(_ context.Context, hooks tool.Hooks, input string) tool.Result {
				if hooks.Call != "c1" {
					t.Errorf("call %q", hooks.Call)
				}
				ran = input
				return tool.Result{Text: "did " + input}
			})
			b := newBench(t, []fakeTool{work}, call(toolCall("c1", "work", `{"text":"a"}`)), say("done"))
			records := turnOf(t, b.session(t, func(o *Options, _ *event.Settings) { o.Plugins = []Plugin{test.m} }), "go", nil)
			var end event.ToolEnded
			noticed := false
			for _, rec := range records {
				switch e := rec.Event.(type) {
				case event.ToolEnded:
					end = e
				case event.Notice:
					noticed = noticed || e.Code == NoticeRewritten && strings.Contains(e.Text, ran)
				}
			}
			if ran != test.ran || end.Call != "c1" || end.Outcome != test.outcome || !strings.Contains(end.Output, test.output) || noticed != test.notice {
				t.Errorf("ran with %q, ended %+v, notice %v", ran, end, noticed)
			}
			if got := ended(t, records).Reason; got != event.TurnCompleted {
				t.Errorf("the turn ended %s", got)
			}
		})
	}
}

// offering is a ToolFilter.
type offering func(string) bool

func (o offering) OffersTool(name string) bool { return o(name) }

// TestOffer: tools that are not offered are not called either.
func TestOffer(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c1", "look", `{}`)), say("done"))
	records := turnOf(t, b.session(t, func(o *Options, _ *event.Settings) {
		o.Plugins = []Plugin{offering(func(name string) bool { return name != "look" })}
	}), "go", nil)
	for _, rec := range records {
		if e, ok := rec.Event.(event.ToolEnded); ok && !strings.Contains(e.Output, "unknown tool") {
			t.Errorf("the call gave %q", e.Output)
		}
	}
	if specs := b.requests()[0].Tools; len(specs) > 0 {
		t.Errorf("offered %v", specs)
	}
}

// TestRemarks: messages of no user are sent to models, and an entry that is kept is not.
func TestRemarks(t *testing.T) {
	b := newBench(t, nil, say("hello"))
	s := b.session(t, nil)
	if err := s.KeepEntry("x", jsontext.Value(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.AddMessage(event.Note{Blocks: []model.Block{model.TextBlock("by the way")}}); err != nil {
		t.Fatal(err)
	}
	turnOf(t, s, "hi", nil)
	var texts []string
	for _, m := range b.requests()[0].Messages {
		for _, block := range m.Blocks {
			texts = append(texts, block.Text)
		}
	}
	if got := strings.Join(texts, "|"); got != "by the way|hi" {
		t.Errorf("the model received %q", got)
	}
	kept := 0
	for rec := range s.Log().Records(t.Context()) {
		if e, ok := rec.Event.(event.Foreign); ok && e.Format == "x" && string(e.Data) == `{"n":1}` {
			kept++
		}
	}
	if kept != 1 {
		t.Errorf("%d entries are kept", kept)
	}
}

// TestHooksOfARewrittenCall: hooks run for an input that a plugin has set as if it came from the
// model: they can deny, change or accept it, and the hooks after the call receive the input
// that ran.
func TestHooksOfARewrittenCall(t *testing.T) {
	wild := jsontext.Value(`{"text":"wild"}`)
	ran := func(r hook.Report, d event.HookDecision) []event.HookRan {
		return []event.HookRan{{Moment: r.Moment, Hook: "h", Call: r.Call.ID, Decision: d}}
	}
	for _, test := range []struct {
		name    string
		wild    hook.Ruling // of the input that the middleware gives
		output  string
		outcome event.Outcome
		after   string // the input in the report of the hooks after the call; "": they do not run
		kinds   string
	}{
		{"let be", hook.Ruling{Context: "again"}, `did {"text":"wild"}|first|again`, event.Succeeded, `{"text":"wild"}`, "hook c, intended c, started c, hook c, call_rewritten, succeeded c, completed"},
		{"denied", hook.Ruling{Denied: true, Reason: "not wild"}, "not wild|first", event.Denied, "", "hook c, intended c, started c, hook c, denied c, completed"},
		{"changed", hook.Ruling{Input: jsontext.Value(`{"text":"tame"}`)}, `did {"text":"tame"}|first`, event.Succeeded, `{"text":"tame"}`, "hook c, intended c, started c, hook c, call_rewritten, succeeded c, completed"},
	} {
		for name, order := range orders {
			t.Run(test.name+" "+name, func(t *testing.T) {
				after := ""
				work := workTool(func(_ context.Context, _ tool.Hooks, input string) tool.Result {
					return tool.Result{Text: "did " + input}
				})
				b := hooked(t, fakeHooks{
					event.BeforeTool: func(_ context.Context, r hook.Report) hook.Ruling {
						ruling := hook.Ruling{Context: "first"}
						if string(r.Call.Input) == string(wild) {
							ruling = test.wild
							if string(r.Call.OwnInput) != string(wild) {
								t.Errorf("hooks receive the own input %s", r.Call.OwnInput)
							}
						}
						ruling.Ran = ran(r, event.HookAllowed)
						return ruling
					},
					event.AfterTool: func(_ context.Context, r hook.Report) hook.Ruling {
						after = string(r.Call.Input)
						return hook.Ruling{}
					},
				}, []fakeTool{work}, call(toolCall("c", "work", `{"text":"a"}`)), say("done"))
				last := ""
				m := around{func(model.Call) Ruling { return Ruling{Input: wild} }, func(e event.ToolEnded) event.ToolEnded { return e }}
				records := turnOf(t, b.session(t, func(o *Options, _ *event.Settings) { o.Plugins, o.Calls = []Plugin{watching{m, &last}}, order }), "go", nil)
				e := result(t, records, "c")
				if e.Outcome != test.outcome || strings.ReplaceAll(e.Output, "\n", "|") != test.output || after != test.after || last != test.after {
					t.Errorf("ended %s with %q; after it hooks receive %s, plugins %s", e.Outcome, e.Output, after, last)
				}
				if got := kindsOf(records); got != test.kinds {
					t.Error(got)
				}
			})
		}
	}
}

// watching notes which input a call is said to have run with.
type watching struct {
	around
	last *string
}

func (w watching) AfterCall(ctx context.Context, call model.Call, ended event.ToolEnded) event.ToolEnded {
	*w.last = string(call.Input)
	return w.around.AfterCall(ctx, call, ended)
}

// TestInterruptInHooksOfARewrittenCall ends the call as interrupted.
func TestInterruptInHooksOfARewrittenCall(t *testing.T) {
	asked := make(chan struct{}, 2)
	var s *Session
	b := hooked(t, fakeHooks{event.BeforeTool: func(ctx context.Context, _ hook.Report) hook.Ruling {
		asked <- struct{}{}
		if len(asked) == 2 {
			s.Interrupt()
			<-ctx.Done()
			return hook.Ruling{Denied: true, Reason: "interrupted"}
		}
		return hook.Ruling{}
	}}, []fakeTool{echo("work", approval.Write)}, call(toolCall("c", "work", `{"text":"a"}`)))
	s = b.session(t, func(o *Options, _ *event.Settings) {
		o.Plugins = []Plugin{around{before: func(model.Call) Ruling { return Ruling{Input: jsontext.Value(`{"text":"b"}`)} }}}
	})
	records := turnOf(t, s, "go", nil)
	if e := result(t, records, "c"); e.Outcome != event.Interrupted {
		t.Errorf("ended %+v", e)
	}
	if end := ended(t, records); end.Reason != event.TurnInterrupted {
		t.Errorf("the turn ended %s", end.Reason)
	}
}

// TestRewrittenCallConfined: a call that runs with another input is confined as every other is,
// and the session is not locked twice to know how.
func TestRewrittenCallConfined(t *testing.T) {
	confined := approval.Sandbox{Kind: approval.SandboxReadOnly}
	var ran string
	work := workTool(func(_ context.Context, hooks tool.Hooks, input string) tool.Result {
		if !hooks.Sandbox.Equal(confined) {
			t.Errorf("the sandbox is %+v", hooks.Sandbox)
		}
		ran = input
		return tool.Result{Text: "did"}
	})
	b := newBench(t, []fakeTool{work}, call(toolCall("c1", "work", `{"text":"a"}`)), say("done"))
	s := commanding(t, b, func(o *Options, settings *event.Settings) {
		o.Approvals, settings.Asking, settings.Sandbox = ApproveBySandbox{}, approval.AskNever, confined
		o.Plugins = []Plugin{around{before: func(model.Call) Ruling { return Ruling{Input: jsontext.Value(`{"text":"b"}`)} }}}
	})
	if !s.work.env.Confines() {
		t.Skip("nothing can be confined here")
	}
	turnOf(t, s, "go", nil)
	if want := `{"text":"b"}`; ran != want {
		t.Errorf("it ran with %q, want %s", ran, want)
	}
}
