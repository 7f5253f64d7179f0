package engine

import (
	"context"
	"errors"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestPermit: what a running call causes is approved by a user, whatever is granted or allowed, and
// an answer for the session grants nothing.
func TestPermit(t *testing.T) {
	for name, test := range map[string]struct {
		edit   func(*Options, *event.Settings)
		alone  bool
		answer Decision
		want   string
	}{
		"allowed": {answer: Decision{Allow: true, Remember: true}, want: "<nil>, <nil>"},
		"denied":  {answer: Decision{Reason: "no"}, want: "no, no"},
		"unasked": {edit: func(o *Options, s *event.Settings) { s.Asking = approval.AskNever }, want: "none, none"},
		"ungranted": {edit: func(o *Options, s *event.Settings) {
			o.Approvals, s.Asking = ApproveUngranted{Verdict: approval.Allow}, ""
		}, want: "none, none"},
		"alone": {alone: true, want: "none, none"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			var b *bench
			work := workTool(func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
				text := ""
				for i := range 2 {
					err := hooks.Permit(ctx, "send it", "the server wants it")
					if i > 0 {
						text += ", "
					}
					switch {
					case err == nil:
						text += "<nil>"
					case errors.Is(err, tool.ErrUnattended):
						text += "none"
					default:
						text += err.Error()
					}
				}
				return tool.Result{Text: text}
			})
			work.level = approval.Read
			b = newBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`)), say("ok"))
			s := b.session(t, func(o *Options, settings *event.Settings) {
				o.Approvals = ApproveBySandbox{}
				settings.Asking, settings.Sandbox = approval.AskOnRequest, approval.Sandbox{Kind: approval.SandboxWorkspace}
				if test.edit != nil {
					test.edit(o, settings)
				}
			})
			if !test.alone {
				t.Cleanup(s.Attach(ClientInfo{}).Detach)
			}
			records := turnOf(t, s, "go", func(rec event.Record) {
				if e, ok := rec.Event.(event.ApprovalAsked); ok {
					asked++
					if e.Request.Summary != "send it" || e.Request.Server != "" || e.Request.Level != approval.Admin || e.Call == "" {
						t.Errorf("%+v", e)
					}
					if err := s.anyClient().Answer(e.ID, test.answer); err != nil {
						t.Error(err)
					}
				}
			})
			if got := find[event.ToolEnded](records)[0].Output; got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			checkBalanced(t, records)
		})
	}
}

// TestElicitationUnderNever: what a tool server wants to know is declined at once where the policy never asks, unless the session is one of
// a protocol that has questions and no approvals. A question of the model is asked all the same.
func TestElicitationUnderNever(t *testing.T) {
	for name, test := range map[string]struct {
		asking approval.Asking
		only   bool // Options.QuestionsOnly
		form   bool // the question is of a tool server
		asked  int
	}{
		"asks":               {approval.AskOnRequest, false, true, 1},
		"never":              {approval.AskNever, false, true, 0},
		"only questions":     {approval.AskNever, true, true, 1},
		"never, a tool asks": {approval.AskNever, false, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			work := workTool(func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
				q := event.Question{Text: "Which?", Options: []event.Option{{Label: "a"}}}
				if test.form {
					q.Elicitation = &event.Elicitation{Server: "desk", Message: "Which?"}
				}
				_, err := hooks.Ask(ctx, []event.Question{q})
				if unattended := errors.Is(err, tool.ErrUnattended); unattended != (test.asked == 0) {
					t.Errorf("the tool is answered %v", err)
				}
				return tool.Result{Text: "ok"}
			})
			work.level = approval.Read
			b := newBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`)), say("ok"))
			s := b.session(t, func(o *Options, settings *event.Settings) {
				o.Approvals, o.QuestionsOnly = ApproveBySandbox{}, test.only
				settings.Asking, settings.Sandbox = test.asking, approval.Sandbox{Kind: approval.SandboxWorkspace}
			})
			client, asked := s.Attach(ClientInfo{}), 0
			turnOf(t, s, "go", func(rec event.Record) {
				if e, ok := rec.Event.(event.QuestionAsked); ok {
					asked++
					if err := client.AnswerQuestion(e.ID, [][]string{{"a"}}); err != nil {
						t.Error(err)
					}
				}
			})
			if asked != test.asked {
				t.Errorf("asked %d times, want %d", asked, test.asked)
			}
		})
	}
}

// questioning is a QuestionFilter.
type questioning bool

func (a questioning) AllowsQuestions() bool { return bool(a) }

// TestNoQuestions: where clients have no message for questions, they are declined at once.
func TestNoQuestions(t *testing.T) {
	for _, test := range []struct {
		none    bool
		options func(*Options)
	}{
		{true, func(o *Options) { o.NoQuestions = true }},
		{true, func(o *Options) { o.Plugins = []Plugin{questioning(true), questioning(false)} }},
		{false, func(o *Options) { o.Plugins = []Plugin{questioning(true)} }},
	} {
		none := test.none
		b := newBench(t, []fakeTool{workTool(func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
			_, err := hooks.Ask(ctx, []event.Question{{Text: "?"}})
			if !errors.Is(err, tool.ErrUnattended) {
				t.Errorf("none %v: %v", none, err)
			}
			return tool.Result{Text: "ok"}
		})}, call(toolCall("c", "work", `{}`)), say("ok"))
		s := b.session(t, func(o *Options, settings *event.Settings) {
			test.options(o)
			settings.Mode = "danger-full-access"
			o.Approvals = ApproveUngranted{Verdict: approval.Allow}
		})
		if none {
			t.Cleanup(s.Attach(ClientInfo{}).Detach)
		}
		records := turnOf(t, s, "go", nil)
		if asked := len(find[event.QuestionAsked](records)); asked == 0 != none {
			t.Errorf("none %v: asked %d times", none, asked)
		}
	}
}
