package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// A scriptAgent plays one function a prompt. It is its own back end.
type scriptAgent struct {
	info    backend.Info
	prompts []func(ctx context.Context, p *playing)
	closed  atomic.Bool

	mu       sync.Mutex
	received []string // the prompts
	verdicts []backend.Verdict
}

// playing is a prompt that a scriptAgent works on.
type playing struct {
	*scriptAgent
	ctx   context.Context
	yield func(backend.Update, error) bool
	over  bool
}

func (p *playing) send(updates ...backend.Update) {
	for _, u := range updates {
		if !p.over && !p.yield(u, nil) {
			p.over = true
		}
	}
}

// ask sends a request for permission, and returns the answer.
func (p *playing) ask(call string) backend.Verdict {
	answer := make(chan backend.Verdict, 1)
	p.send(backend.Ask{Call: call, Answer: func(v backend.Verdict) { answer <- v }})
	v := <-answer
	p.mu.Lock()
	defer p.mu.Unlock()
	p.verdicts = append(p.verdicts, v)
	return v
}

// end ends the prompt: as interrupted, if its context has ended.
func (p *playing) end(u model.Usage) {
	reason := event.TurnCompleted
	if p.ctx.Err() != nil {
		reason = event.TurnInterrupted
	}
	p.send(backend.End{Reason: reason, Usage: u})
}

func (a *scriptAgent) Open(context.Context, backend.Opening) (backend.Agent, error) { return a, nil }

func (a *scriptAgent) ID() string { return "their-1" }

func (a *scriptAgent) Info() backend.Info { return a.info }

func (a *scriptAgent) Offers(context.Context) (backend.Offers, error) { return backend.Offers{}, nil }
func (a *scriptAgent) Change(context.Context, backend.Settings) error { return nil }
func (a *scriptAgent) Steer(context.Context, backend.Prompt) error    { return backend.ErrUnsupported }

func (a *scriptAgent) Compact(context.Context) (string, error) { return "", backend.ErrUnsupported }

func (a *scriptAgent) Fork(context.Context, int) (string, error) { return "", backend.ErrUnsupported }

func (a *scriptAgent) Alive() bool { return !a.closed.Load() }

func (a *scriptAgent) Close() { a.closed.Store(true) }

func (a *scriptAgent) Turn(ctx context.Context, p backend.Prompt) iter.Seq2[backend.Update, error] {
	return func(yield func(backend.Update, error) bool) {
		a.mu.Lock()
		n := len(a.received)
		a.received = append(a.received, (model.Message{Blocks: p.Blocks}).Text())
		a.mu.Unlock()
		if n >= len(a.prompts) {
			yield(nil, errors.New("the script has ended"))
			return
		}
		a.prompts[n](ctx, &playing{scriptAgent: a, ctx: ctx, yield: yield})
	}
}

// played returns a session that a scriptAgent works for, with real tools, in full access.
func (a *scriptAgent) played(t *testing.T, b *bench, edit func(*Host, *Options, *event.Settings)) *Session {
	t.Helper()
	for _, real := range []tool.Tool{tool.Shell(), tool.Read(), tool.Write(), tool.Edit(), tool.Patch()} {
		if b.tools[real.Name()] == nil {
			b.tools[real.Name()] = real
		}
	}
	h, o := b.host(), b.options()
	settings := event.Settings{Model: "test", Mode: string(approval.FullAccess), Backend: "fake"}
	h.cfg.BackendOf = fakeBackends{"fake": newFakeBackend()}.ownerOf
	h.cfg.Backends = func(name string) (backend.Backend, error) {
		if name != "fake" {
			return nil, fmt.Errorf("back end %q is not configured", name)
		}
		return a, nil
	}
	if edit != nil {
		edit(h, &o, &settings)
	}
	dir, err := os.MkdirTemp("", "engine-test-")
	if err != nil {
		t.Fatal(err)
	}
	s, err := h.Create(t.Context(), NewSession{Workspace: dir, Settings: settings}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	return s
}

func play(prompts ...func(ctx context.Context, p *playing)) *scriptAgent {
	return &scriptAgent{prompts: prompts}
}

// command is the report of a command.
func command(id, line string) backend.Call {
	return backend.Call{ID: id, Name: "Bash", Tool: "shell", Input: jsonOf(map[string]string{"command": line}), CallRequest: backend.CallRequest{Level: approval.Execute, Command: line}}
}

func done(id, text string) backend.CallEnd {
	return backend.CallEnd{Call: id, Outcome: event.Succeeded, Text: text}
}

// TestReportedCall: a call has the name and the input of the session's tool that does the same, where that takes it.
func TestReportedCall(t *testing.T) {
	before := "a\n"
	edits := []backend.Edit{{Path: "x", Before: &before, After: "b\n"}}
	bash := Binding{
		Name: "bash", Tool: "shell", Schema: jsontext.Value(`{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"],"additionalProperties":false}`),
		Adapt: func(in jsontext.Value) (jsontext.Value, error) {
			return jsontext.Value(strings.Replace(string(in), "cmd", "command", 1)), nil
		},
		Show: func(own jsontext.Value) (jsontext.Value, error) {
			return jsontext.Value(strings.Replace(string(own), "command", "cmd", 1)), nil
		},
	}
	oneWay := Binding{Name: "view", Tool: "read", Schema: bash.Schema, Adapt: bash.Adapt}
	plain := func(names ...string) (all []Binding) {
		for _, name := range names {
			all = append(all, Binding{Name: "my_" + name, Tool: name})
		}
		return all
	}
	for _, test := range []struct {
		name              string
		bound             []Binding
		call              backend.Call
		shown, tool, want string
	}{
		{"shown otherwise", []Binding{bash}, command("1", "ls"), "bash", "shell", `{"cmd":"ls"}`},
		{"from what it needs", []Binding{bash}, backend.Call{Name: "Bash", Tool: "shell", Input: jsontext.Value(`{"x":1}`), CallRequest: backend.CallRequest{Command: "ls"}}, "bash", "shell", `{"cmd":"ls"}`},
		{"a folder without a member for it", []Binding{bash}, backend.Call{Name: "Bash", Tool: "shell", Input: jsontext.Value(`{"command":"ls","dir":"/it's"}`)}, "bash", "shell", `{"cmd":"cd '/it'\\''s' && ls"}`},
		{"not reversed", []Binding{oneWay}, backend.Call{Name: "Read", Tool: "read", Input: jsontext.Value(`{"path":"a"}`)}, "Read", "", `{"path":"a"}`},
		{"not bound", plain("write"), backend.Call{Name: "Read", Tool: "read", Input: jsontext.Value(`{"path":"a"}`)}, "Read", "", `{"path":"a"}`},
		{"of no tool", plain("read"), backend.Call{Name: "Think", Input: jsontext.Value(`{"path":"a"}`)}, "Think", "", `{"path":"a"}`},
		{"no object", plain("read"), backend.Call{Name: "Think", Input: jsontext.Value(`[]`)}, "Think", "", `{}`},
		{"of a server", plain("read"), backend.Call{Name: "read", Server: "db", Tool: "read", Input: jsontext.Value(`{"path":"a"}`)}, "read", "read", `{"path":"a"}`},
		{"by its path", plain("read"), backend.Call{Name: "Read", Tool: "read", Input: jsontext.Value(`{"file":1}`), CallRequest: backend.CallRequest{Paths: []string{"a"}}}, "my_read", "read", `{"path":"a"}`},
		{"an edit", plain("edit"), backend.Call{Name: "Edit", Tool: "edit", Input: jsontext.Value(`{"file":1}`), Edits: edits}, "my_edit", "edit", `{"new":"b\n","old":"a\n","path":"x"}`},
		{"a new file", plain("edit", "write"), backend.Call{Name: "Edit", Tool: "edit", Edits: []backend.Edit{{Path: "x", After: "b"}}}, "my_write", "write", `{"content":"b","path":"x"}`},
		{
			"several files", plain("edit", "patch"),
			backend.Call{Name: "Edit", Tool: "edit", Edits: append([]backend.Edit{{Path: "y", After: "c\n"}}, edits...)},
			"my_patch", "patch",
			`{"input":"*** Begin Patch\n*** Add File: y\n+c\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n"}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.call.ID = "1"
			a := play(func(_ context.Context, p *playing) {
				p.send(test.call, done("1", "ok"))
				p.end(model.Usage{Input: 1})
			})
			s := a.played(t, newBench(t, nil), func(_ *Host, o *Options, _ *event.Settings) { o.Toolset = test.bound })
			records := turnOf(t, s, "Go.", nil)
			ended(t, records)
			got := find[event.ToolIntended](records)[0]
			if got.Name != test.shown || got.Tool != test.tool || string(got.Input) != test.want || got.Server != test.call.Server {
				t.Errorf("intended %s (%s of %q) %s, want %s (%s) %s", got.Name, got.Tool, got.Server, got.Input, test.shown, test.tool, test.want)
			}
			answer := find[event.AssistantMessage](records)[0].Blocks[0].Call
			if answer.Name != test.shown || string(answer.Input) != test.want {
				t.Errorf("the answer calls %s %s", answer.Name, answer.Input)
			}
		})
	}
}

// TestProposedChanges: an approval has the changes of the call, as the agent reports them, or as our own tool would make them.
func TestProposedChanges(t *testing.T) {
	before := "old\n"
	for name, test := range map[string]struct {
		call backend.Call
		ask  []backend.Edit
	}{
		"reported with the call":    {backend.Call{Edits: []backend.Edit{{Path: "x", Before: &before, After: "new\n"}}}, nil},
		"reported with the request": {backend.Call{}, []backend.Edit{{Path: "x", Before: &before, After: "new\n"}}},
		"by the tool":               {backend.Call{Tool: "edit", Input: jsontext.Value(`{"path":"x","old":"old","new":"new"}`)}, nil},
	} {
		for _, preview := range []bool{true, false} {
			t.Run(fmt.Sprint(name, preview), func(t *testing.T) {
				a := play(func(_ context.Context, p *playing) {
					test.call.ID, test.call.Name = "1", "Edit"
					test.call.CallRequest = backend.CallRequest{Level: approval.Write, Paths: []string{"x"}}
					answer := make(chan backend.Verdict, 1)
					p.send(test.call, backend.Ask{Call: "1", Edits: test.ask, Answer: func(v backend.Verdict) { answer <- v }})
					<-answer
					p.send(done("1", "ok"))
					p.end(model.Usage{Input: 1})
				})
				s := a.played(t, newBench(t, nil), func(_ *Host, o *Options, settings *event.Settings) {
					o.Preview, settings.Mode = preview, string(approval.Prompt)
				})
				if err := os.WriteFile(s.State().Workspace+"/x", []byte(before), 0o600); err != nil {
					t.Fatal(err)
				}
				c := s.Attach(ClientInfo{})
				defer c.Detach()
				records := turnOf(t, s, "Go.", func(rec event.Record) {
					if asked, ok := rec.Event.(event.ApprovalAsked); ok {
						if err := c.Answer(asked.ID, Decision{Allow: true}); err != nil {
							t.Error(err)
						}
					}
				})
				ended(t, records)
				files := find[event.ApprovalAsked](records)[0].Files
				if len(files) != 1 || files[0].Added != 1 || files[0].Removed != 1 || strings.Contains(files[0].Diff, "+new") == preview {
					t.Errorf("the approval has %+v", files)
				}
				proposed := find[event.ChangesProposed](records)
				if preview != (len(proposed) == 1 && strings.Contains(proposed[0].Changes[0].Diff, "-old\n+new")) {
					t.Errorf("proposed %+v", proposed)
				}
				if changes := result(t, records, "1").Changes; len(changes) != 1 || changes[0].Path != "x" {
					t.Errorf("changed %+v", changes)
				}
			})
		}
	}
}

// TestDecidedCall: a call that is denied ends so though the agent reports it as failed at once, and the wait for an approval is not a
// part of how long a call has run.
func TestDecidedCall(t *testing.T) {
	for _, allow := range []bool{true, false} {
		t.Run(fmt.Sprint(allow), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := play(func(_ context.Context, p *playing) {
					p.send(command("1", "make"))
					verdicts, reported := make(chan backend.Verdict), make(chan struct{})
					p.send(backend.Ask{Call: "1", Answer: func(v backend.Verdict) {
						verdicts <- v
						<-reported // so that the report comes before the answer is done
					}})
					if v := <-verdicts; !v.Allow {
						p.send(backend.CallEnd{Call: "1", Outcome: event.Failed, Text: "rejected", NotRun: true})
					}
					close(reported)
					p.send(done("1", "made"))
					p.end(model.Usage{Input: 1})
				})
				s := a.played(t, newBench(t, nil), func(_ *Host, _ *Options, settings *event.Settings) { settings.Mode = string(approval.Prompt) })
				c := s.Attach(ClientInfo{})
				defer c.Detach()
				records := turnOf(t, s, "Go.", func(rec event.Record) {
					if e, ok := rec.Event.(event.ApprovalAsked); ok {
						time.Sleep(time.Minute)
						if err := c.Answer(e.ID, Decision{Allow: allow, Reason: "not now"}); err != nil {
							t.Error(err)
						}
					}
				})
				ended(t, records)
				want := event.ToolEnded{Outcome: event.Denied, Output: "not now"}
				if allow {
					want = event.ToolEnded{Outcome: event.Succeeded, Output: "made"}
				}
				if got := find[event.ToolEnded](records)[0]; got.Outcome != want.Outcome || got.Output != want.Output || got.Ran != 0 {
					t.Errorf("ended %s %q after %s, want %s %q after 0s", got.Outcome, got.Output, time.Duration(got.Ran), want.Outcome, want.Output)
				}
			})
		})
	}
}

// TestCallHooks: hooks deny what the agent asks for, stop an agent that does not ask, and add to results.
func TestCallHooks(t *testing.T) {
	deny := fakeHooks{event.BeforeTool: always(hook.Ruling{Denied: true, Reason: "no"})}
	rewrite := fakeHooks{event.BeforeTool: always(hook.Ruling{Input: jsontext.Value(`{"command":"true"}`)})}
	for _, test := range []struct {
		name    string
		hooks   fakeHooks
		plugin  fakeInterceptor
		asks    bool
		reason  string // of the verdict
		output  string
		records string
	}{
		{"denied", deny, fakeInterceptor{}, true, "no", "no", "intended 1, denied 1, completed"},
		{"rewritten", rewrite, fakeInterceptor{}, true, `a hook wants this call with another input, which fake cannot be given: make the call with the input {"command":"true"}`, "", "intended 1, denied 1, completed"},
		{"rewritten to the same", fakeHooks{event.BeforeTool: always(hook.Ruling{Input: jsontext.Value(`{ "command": "false" }`)})}, fakeInterceptor{}, true, "", "ok", "intended 1, started 1, succeeded 1, completed"},
		{"denied, unasked", deny, fakeInterceptor{}, false, "", "", "intended 1, interrupted 1, failed"},
		{"asks the user, unasked", fakeHooks{event.BeforeTool: always(hook.Ruling{Permission: hook.PermissionAsk})}, fakeInterceptor{}, false, "", "", "intended 1, interrupted 1, failed"},
		{"remark", fakeHooks{event.AfterTool: always(hook.Ruling{Context: "lint"})}, fakeInterceptor{}, true, "", "ok\nlint", "intended 1, started 1, backend_remark, succeeded 1, completed"},
		{"failed afterwards", fakeHooks{event.AfterTool: always(hook.Ruling{Denied: true, Reason: "bad"})}, fakeInterceptor{}, false, "", "ok\nbad", "intended 1, backend_unasked, started 1, backend_remark, failed 1, completed"},
		{"refused by a plugin", nil, fakeInterceptor{ruling: Ruling{Refused: true, Reason: "never"}}, true, "never", "never", "intended 1, started 1, denied 1, completed"},
		{"refused by a plugin, unasked", nil, fakeInterceptor{ruling: Ruling{Refused: true, Reason: "never"}}, false, "", "", "intended 1, backend_unasked, started 1, interrupted 1, failed"},
		{"another input of a plugin", nil, fakeInterceptor{ruling: Ruling{Input: jsontext.Value(`{"command":"true"}`)}}, true, `this call has to run with another input, which fake cannot be given: make the call with the input {"command":"true"}`, "", "intended 1, started 1, denied 1, completed"},
		{"changed by a plugin", nil, fakeInterceptor{output: "changed"}, true, "", "changed", "intended 1, started 1, succeeded 1, completed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := play(func(_ context.Context, p *playing) {
				p.send(command("1", "false"))
				if !test.asks || p.ask("1").Allow {
					p.send(done("1", "ok"))
				}
				p.end(model.Usage{Input: 1})
			})
			b := newBench(t, nil)
			if test.hooks != nil {
				b.hooks = test.hooks
			}
			s := a.played(t, b, func(_ *Host, o *Options, _ *event.Settings) { o.Plugins = []Plugin{test.plugin} })
			records := turnOf(t, s, "Go.", nil)
			ended(t, records)
			if got := kindsOf(records); got != test.records {
				t.Errorf("records: %s\nwant %s", got, test.records)
			}
			if test.asks {
				if v := a.verdicts[0]; v.Allow != (test.reason == "") || v.Reason != test.reason || v.Cancel {
					t.Errorf("the agent got %+v", v)
				}
			}
			if got := result(t, records, "1").Output; test.output != "" && got != test.output {
				t.Errorf("the output is %q", got)
			}
		})
	}
}

// A fakeInterceptor has one ruling, and another output of calls.
type fakeInterceptor struct {
	ruling Ruling
	output string
}

func (f fakeInterceptor) BeforeCall(context.Context, model.Call) Ruling { return f.ruling }

func (f fakeInterceptor) AfterCall(_ context.Context, _ model.Call, e event.ToolEnded) event.ToolEnded {
	if f.output != "" {
		e.Output = f.output
	}
	return e
}

// TestHookEndsTurn: a hook that ends the turn interrupts the agent.
func TestHookEndsTurn(t *testing.T) {
	a := play(func(ctx context.Context, p *playing) {
		p.send(command("1", "make"))
		p.ask("1")
		<-ctx.Done()
		p.end(model.Usage{Input: 1})
	})
	b := newBench(t, nil)
	b.hooks = fakeHooks{event.BeforeTool: always(hook.Ruling{Denied: true, Reason: "stop here", Stop: true})}
	end := ended(t, turnOf(t, a.played(t, b, nil), "Go.", nil))
	if end.Reason != event.TurnCompleted {
		t.Errorf("the turn ended as %s", end.Reason)
	}
}

// TestOwnRules: what an agent with rules of its own runs unasked goes on, unless it is denied here.
func TestOwnRules(t *testing.T) {
	for _, test := range []struct {
		own  bool
		mode approval.Mode
		want string
	}{
		{false, approval.Prompt, "intended 1, interrupted 1, failed"},
		{true, approval.Prompt, "intended 1, backend_unasked, started 1, succeeded 1, completed"},
	} {
		a := play(func(_ context.Context, p *playing) {
			p.send(command("1", "make"), done("1", "ok"))
			p.end(model.Usage{Input: 1})
		})
		a.info.OwnRules = test.own
		s := a.played(t, newBench(t, nil), func(_ *Host, _ *Options, settings *event.Settings) { settings.Mode = string(test.mode) })
		if got := kindsOf(turnOf(t, s, "Go.", nil)); got != test.want {
			t.Errorf("own rules %v: %s", test.own, got)
		}
	}
	a := play(func(_ context.Context, p *playing) {
		p.send(command("1", "make"), done("1", "ok"))
		p.end(model.Usage{Input: 1})
	})
	a.info.OwnRules = true
	s := a.played(t, newBench(t, nil), nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "Look.", Tuning: Tuning{ReadOnly: true}}); err != nil {
		t.Fatal(err)
	}
	if got := kindsOf(untilEnd(t, records, nil)); got != "intended 1, interrupted 1, failed" {
		t.Errorf("a turn that may only look: %s", got)
	}
}

// TestAgentBudget: an agent is interrupted when the budget is used up, and what waits is denied.
func TestAgentBudget(t *testing.T) {
	used := model.Usage{Input: 100, Output: 10}
	untilStopped := func(ctx context.Context, p *playing) {
		<-ctx.Done()
		p.end(model.Usage{})
	}
	for _, test := range []struct {
		name   string
		limits Limits
		prompt func(ctx context.Context, p *playing)
		reason event.BudgetReason
	}{
		{"tokens", Limits{TotalTokens: 100}, func(ctx context.Context, p *playing) {
			p.send(backend.Text{Text: "Hm."}, backend.MessageEnd{Usage: used})
			untilStopped(ctx, p)
		}, event.BudgetTotalTokens},
		{"cost", Limits{Cost: 0.5}, func(ctx context.Context, p *playing) {
			p.send(backend.Usage{Cost: 0.6})
			untilStopped(ctx, p)
		}, event.BudgetCost},
		{"calls", Limits{ToolCalls: 1}, func(ctx context.Context, p *playing) {
			p.send(command("1", "make"), done("1", "ok"))
			untilStopped(ctx, p)
		}, event.BudgetToolCalls},
		{"time", Limits{WallTime: time.Minute}, untilStopped, event.BudgetWallTime},
		{"an agent that ends its turn as usual after a refusal", Limits{TotalTokens: 100}, func(_ context.Context, p *playing) {
			p.send(command("1", "make"), backend.MessageEnd{Usage: used}, backend.Text{Text: "x"}, backend.MessageEnd{Usage: used})
			answer := make(chan backend.Verdict, 1)
			p.send(backend.Ask{Call: "1", Answer: func(v backend.Verdict) { answer <- v }})
			if v := <-answer; v.Allow {
				p.send(backend.Note{Code: "allowed"})
			}
			p.send(backend.End{Reason: event.TurnCompleted})
		}, event.BudgetTotalTokens},
		{"while a call waits", Limits{TotalTokens: 100}, func(ctx context.Context, p *playing) {
			p.send(command("1", "make"))
			answer := make(chan backend.Verdict, 1)
			p.send(backend.Ask{Call: "1", Answer: func(v backend.Verdict) { answer <- v }}, backend.MessageEnd{Usage: used}, backend.Text{Text: "x"}, backend.MessageEnd{Usage: used})
			if v := <-answer; v.Allow || !v.Cancel && v.Reason == "" {
				p.send(backend.Note{Code: fmt.Sprintf("%+v", v)})
			}
			untilStopped(ctx, p)
		}, event.BudgetTotalTokens},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := play(test.prompt)
				s := a.played(t, newBench(t, nil), func(_ *Host, o *Options, settings *event.Settings) {
					o.Budget = NewBudget(BudgetPlan{Limits: test.limits})
					if test.name == "while a call waits" {
						settings.Mode = string(approval.Prompt)
					}
				})
				c := s.Attach(ClientInfo{})
				defer c.Detach()
				records := turnOf(t, s, "Go.", nil)
				end := ended(t, records)
				if end.Reason != event.TurnBudget || end.Failure == nil || end.Failure.Code != string(test.reason) {
					t.Errorf("the turn ended as %s, %+v", end.Reason, end.Failure)
				}
				for _, e := range find[event.ToolEnded](records) {
					if e.Outcome != event.Succeeded && !strings.HasPrefix(e.Output, "not run: the budget is used up") {
						t.Errorf("the call ended with %q", e.Output)
					}
				}
				for _, answered := range find[event.ApprovalAnswered](records) {
					if answered.Allowed || answered.By != event.ByPolicy {
						t.Errorf("the approval was answered by %s", answered.By)
					}
				}
			})
		})
	}
}

// TestAgentCost: answers have the agent's cost, or that of the catalogue; where neither is known, a limit of cost refuses.
func TestAgentCost(t *testing.T) {
	usage := model.Usage{Input: 1_000_000}
	answer := func(cost float64) func(context.Context, *playing) {
		return func(_ context.Context, p *playing) {
			p.send(backend.Text{Text: "x"}, backend.MessageEnd{Model: "big", Usage: usage, Cost: cost})
			p.end(model.Usage{})
		}
	}
	price := func(name string) (model.Price, bool) { return model.Price{Input: 3}, name == "big" }
	for _, test := range []struct {
		name   string
		info   backend.Info
		model  string
		price  func(string) (model.Price, bool)
		limit  float64
		prompt func(context.Context, *playing)
		cost   float64
		code   string // of the failure
		asked  int    // prompts that the agent got
	}{
		{"reported", backend.Info{}, "fake/x", nil, 100, answer(2), 2, "", 1},
		{"priced", backend.Info{}, "fake/x", price, 100, answer(0), 3, "", 1},
		{"not known, without a limit", backend.Info{}, "fake/x", nil, 0, answer(0), 0, "", 1},
		{"not known, with a limit", backend.Info{}, "fake/x", nil, 100, answer(0), 0, "unpriced", 1},
		{"never reported", backend.Info{Unpriced: true}, "fake/x", price, 100, answer(0), 0, "unpriced", 0},
		{"never reported, priced", backend.Info{Unpriced: true}, "fake/big", price, 100, answer(0), 3, "", 1},
		{"reported outside of answers", backend.Info{}, "fake/big", price, 100, func(_ context.Context, p *playing) {
			p.send(backend.Text{Text: "x"}, backend.Usage{Cost: 2})
			p.end(usage)
		}, 2, "", 1},
		{"priced at the end", backend.Info{}, "fake/big", price, 100, func(_ context.Context, p *playing) {
			p.send(backend.Text{Text: "x"})
			p.end(usage)
		}, 3, "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := play(test.prompt)
			a.info = test.info
			s := a.played(t, newBench(t, nil), func(h *Host, o *Options, settings *event.Settings) {
				h.cfg.Price, settings.Model = test.price, test.model
				o.Budget = NewBudget(BudgetPlan{Limits: Limits{Cost: test.limit, ToolCalls: 1000}})
			})
			end := ended(t, turnOf(t, s, "Go.", nil))
			code := ""
			if end.Failure != nil {
				code = end.Failure.Code
			}
			if spent := s.opts.Budget.Snapshot().Cost; spent != test.cost || code != test.code || len(a.received) != test.asked {
				t.Errorf("it has cost %v, and failed with %q after %d prompts", spent, code, len(a.received))
			}
		})
	}
}

// TestAgentEstimate: where an agent reports no usage, it is estimated from the texts.
func TestAgentEstimate(t *testing.T) {
	a := play(func(_ context.Context, p *playing) {
		p.send(backend.Text{Text: strings.Repeat("word", 100)})
		p.end(model.Usage{})
	}, func(_ context.Context, p *playing) { p.end(model.Usage{Input: 7, Output: 1}) })
	s := a.played(t, newBench(t, nil), nil)
	end := ended(t, turnOf(t, s, strings.Repeat("text", 200), nil))
	if u := end.Usage; !u.Estimated || u.Output != 100 || u.Input < 200 {
		t.Errorf("estimated %+v", u)
	}
	if u := ended(t, turnOf(t, s, "More.", nil)).Usage; u.Estimated || u.Input != 7 {
		t.Errorf("reported %+v", u)
	}
}

// TestReportedCreation: an empty text before the change of a file that did not exist is that of a creation, also when it exists at the end.
func TestReportedCreation(t *testing.T) {
	empty := ""
	for _, test := range []struct {
		name string
		old  bool // there is an empty file
		want event.FileOp
	}{{"no file", false, event.Created}, {"an empty file", true, event.Updated}} {
		t.Run(test.name, func(t *testing.T) {
			var dir string
			edits := []backend.Edit{{Path: "new.txt", Before: &empty, After: "text\n"}}
			a := play(func(_ context.Context, p *playing) {
				p.send(backend.Call{ID: "1", Name: "Write", Edits: edits, CallRequest: backend.CallRequest{Level: approval.Write, Paths: []string{"new.txt"}}})
				if p.ask("1").Allow {
					if err := os.WriteFile(dir+"/new.txt", []byte("text\n"), 0o600); err != nil {
						t.Error(err)
					}
				}
				end := done("1", "ok")
				end.Edits = edits
				p.send(end)
				p.end(model.Usage{Input: 1})
			})
			s := a.played(t, newBench(t, nil), nil)
			dir = s.State().Workspace
			if test.old {
				if err := os.WriteFile(dir+"/new.txt", nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			records := turnOf(t, s, "Go.", nil)
			ended(t, records)
			if changes := result(t, records, "1").Changes; len(changes) != 1 || changes[0].Op != test.want {
				t.Errorf("changed %+v, want %s", changes, test.want)
			}
		})
	}
}

// TestAgentUsageRecord: the answer under way has what the prompt has used; where none is, a void one without blocks has it.
func TestAgentUsageRecord(t *testing.T) {
	used := model.Usage{Input: 7, Output: 1}
	text, look := backend.Text{Text: "So."}, backend.Call{ID: "1", Name: "look"}
	for _, test := range []struct {
		name    string
		updates []backend.Update
		used    model.Usage // reported at the end
		want    []string
	}{
		{"an answer under way", []backend.Update{text}, used, []string{`"So." {7 1 reported}`}},
		{"an answer under way, estimated", []backend.Update{text}, model.Usage{}, []string{`"So." {2 1 estimated}`}},
		{"after a call", []backend.Update{look, done("1", "ok")}, used, []string{`"" {0 0 reported}`, `void "" {7 1 reported}`}},
		{"nothing said, nothing used", nil, model.Usage{}, []string{`void "" {2 0 estimated}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := play(func(_ context.Context, p *playing) {
				p.send(test.updates...)
				p.end(test.used)
			})
			records := turnOf(t, a.played(t, newBench(t, nil), nil), "Go there.", nil)
			ended(t, records)
			var got []string
			for _, e := range find[event.AssistantMessage](records) {
				line, how := "", "reported"
				if e.Void {
					line = "void "
				}
				if e.Usage.Estimated {
					how = "estimated"
				}
				got = append(got, fmt.Sprintf("%s%q {%d %d %s}", line, model.Message{Blocks: e.Blocks}.Text(), e.Usage.Input, e.Usage.Output, how))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSubagentOnBackend: a subagent of our own loop runs on a back end, within its tools, and submits what its answer ends with;
// others run on our own loop, whatever the host's default is.
func TestSubagentOnBackend(t *testing.T) {
	a := play(func(_ context.Context, p *playing) {
		p.send(command("1", "make"))
		p.ask("1")
		p.send(backend.Text{Text: "Nothing yet."})
		p.end(model.Usage{Input: 1})
	}, func(_ context.Context, p *playing) {
		p.send(backend.Text{Text: "found"})
		p.end(model.Usage{Input: 1})
	})
	var worked []tool.SubagentResult
	task := delegate(func(w *tool.SubagentTask) {
		if len(worked) > 0 {
			return
		}
		w.Backend, w.Models, w.SubmitTool, w.Tools, w.Reminder = "fake", []string{"fake/big"}, "", []string{"read"}, "Submit."
		w.Submit = func(jsontext.Value) error { return nil }
		w.Extract = func(answer string) (jsontext.Value, error) {
			if answer != "found" {
				return nil, errors.New("there is no block")
			}
			return jsontext.Value(`{"result":{"data":1}}`), nil
		}
	}, func(w tool.SubagentResult) { worked = append(worked, w) })
	b := newBench(t, []fakeTool{task, submitting()}, call(toolCall("1", "task", `{}`)), call(toolCall("2", "task", `{}`)), say("own"), say("done"))
	s := a.played(t, b, func(_ *Host, _ *Options, settings *event.Settings) { settings.Backend = "" })
	s.host.cfg.Backend = "fake" // of sessions that are created from now on
	ended(t, turnOf(t, s, "Go.", nil))
	if len(worked) != 2 || string(worked[0].Submitted) != `{"result":{"data":1}}` || worked[1].Output != "own" {
		t.Errorf("they came to %+v", worked)
	}
	if len(a.received) != 2 || a.received[0] != "You are small.\n\nDo it." || a.received[1] != "there is no block\n\nSubmit." {
		t.Errorf("the agent got %q", a.received)
	}
	if v := a.verdicts[0]; v.Allow || v.Reason != "this subagent may not use Bash" {
		t.Errorf("the command was answered with %+v", v)
	}
}
