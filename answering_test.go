package parley_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley.dev/parley"
	"parley.dev/parley/record"
)

// command is a script whose model runs a command and ends.
const command = "call shell {\"command\":\"echo hello\"}\nnext\ntext Done.\n"

// TestUnattended: where nothing answers, a call that needs an approval is denied at once, and models cannot ask.
func TestUnattended(t *testing.T) {
	h := open(t, command, parley.Options{Mode: parley.AskAlways})
	s := create(t, h)
	prompt(t, s, "Go.")
	all := until(t, s, parley.FollowOptions{}, kind(record.KindTurnEnded))
	asked, ended := events[record.ApprovalAsked](all), events[record.ToolEnded](all)
	if len(asked) != 1 || !asked[0].Unattended || ended[0].Outcome != record.CallDenied {
		t.Errorf("%+v, %+v", asked, ended)
	}
}

// TestAttended: a call waits until a method of the session answers; a late answer is refused and names the client that was first.
func TestAttended(t *testing.T) {
	h := open(t, command+"next\n"+command+"next\n"+command, parley.Options{Mode: parley.AskAlways, Attended: true, Name: "bot"})
	s, ctx := create(t, h), background(t)
	prompt(t, s, "Go.")
	all := until(t, s, parley.FollowOptions{}, kind(record.KindApprovalAsked))
	id := events[record.ApprovalAsked](all)[0].ID
	if st := state(t, s); st.Status != record.StatusWaiting || len(st.Approvals) != 1 || st.Approvals[0].Request.Command != "echo hello" {
		t.Errorf("%+v", st)
	}
	if err := s.Deny(ctx, id, "not now"); err != nil {
		t.Fatal(err)
	}
	if err := s.Approve(ctx, id); !errors.Is(err, parley.ErrNotPending) || err.Error() != id+" was answered by bot: denied" {
		t.Errorf("a late answer: %v", err)
	}
	if err := s.Answer(ctx, "q-9", nil); !errors.Is(err, parley.ErrNotPending) {
		t.Errorf("an answer to no question: %v", err)
	}
	all = until(t, s, parley.FollowOptions{}, kind(record.KindTurnEnded))
	if ended := events[record.ToolEnded](all)[0]; ended.Outcome != record.CallDenied || !strings.Contains(ended.Output, "not now") {
		t.Errorf("%+v", ended)
	}
	if answered := events[record.ApprovalAnswered](all)[0]; answered.Allowed || answered.Client.Name != "bot" {
		t.Errorf("%+v", answered)
	}

	from := state(t, s).Head + 1
	prompt(t, s, "Again.")
	all = until(t, s, parley.FollowOptions{From: from}, kind(record.KindApprovalAsked))
	if err := s.ApproveAll(ctx, events[record.ApprovalAsked](all)[0].ID); err != nil {
		t.Fatal(err)
	}
	until(t, s, parley.FollowOptions{From: from}, kind(record.KindTurnEnded))
	answer, err := s.Run(ctx, parley.Prompt{Text: "Once more."}) // needs no approval now
	if err != nil || answer.Text != "Done." {
		t.Errorf("%+v, %v", answer, err)
	}
}

// TestApprove: the function of the program decides, once for each call, and a decision that counts for the session is not
// requested again.
func TestApprove(t *testing.T) {
	var asked []string
	h := open(t, command+"next\n"+command, parley.Options{
		Mode: parley.AskAlways,
		Approve: func(_ context.Context, s *parley.Session, a record.ApprovalAsked) parley.Decision {
			asked = append(asked, s.ID()+" "+a.Request.Command) // one call at a time
			return parley.Decision{Allow: true, Always: true}
		},
	})
	s := create(t, h)
	for range 2 {
		if answer, err := s.Run(background(t), parley.Prompt{Text: "Go."}); err != nil || answer.Text != "Done." {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	if len(asked) != 1 || asked[0] != s.ID()+" echo hello" {
		t.Errorf("%q", asked)
	}
	for _, e := range events[record.ToolEnded](until(t, s, parley.FollowOptions{}, kind(record.KindToolEnded))) {
		if e.Outcome != record.CallSucceeded || !strings.Contains(e.Output, "hello") {
			t.Errorf("%+v", e)
		}
	}
}

// TestWithdrawn: an answer by a method of the session ends the context of the function, whose decision does not count then.
func TestWithdrawn(t *testing.T) {
	asked := make(chan string, 1)
	h := open(t, command, parley.Options{
		Mode: parley.AskAlways,
		Approve: func(ctx context.Context, _ *parley.Session, a record.ApprovalAsked) parley.Decision {
			asked <- a.ID
			<-ctx.Done()
			return parley.Decision{Reason: "too late"}
		},
	})
	s := create(t, h)
	prompt(t, s, "Go.")
	if err := s.Approve(background(t), <-asked); err != nil {
		t.Fatal(err)
	}
	all := until(t, s, parley.FollowOptions{}, kind(record.KindTurnEnded))
	if e := events[record.ToolEnded](all)[0]; e.Outcome != record.CallSucceeded {
		t.Errorf("%+v", e)
	}
}

// question is a script whose model asks the user.
const question = `call ask {"questions":[{"question":"Which shop?","options":[{"label":"North"},{"label":"South"}]}]}` + "\nnext\ntext Thanks.\n"

// TestAnswer: the function of the program answers the questions of models; nil declines.
func TestAnswer(t *testing.T) {
	for want, answers := range map[string][][]string{"North": {{"North"}}, "cancelled": nil} {
		h := open(t, question, parley.Options{
			Answer: func(_ context.Context, _ *parley.Session, q record.QuestionAsked) [][]string {
				if len(q.Questions) != 1 || q.Questions[0].Text != "Which shop?" || q.Questions[0].Options[1].Label != "South" {
					t.Errorf("%+v", q)
				}
				return answers
			},
		})
		s := create(t, h)
		prompt(t, s, "Go.")
		all := until(t, s, parley.FollowOptions{}, kind(record.KindTurnEnded))
		if e := events[record.ToolEnded](all)[0]; !strings.Contains(e.Output, want) {
			t.Errorf("%+v, want %s", e, want)
		}
	}
}

// TestPanics: a panic in a tool or in a function that decides fails the call, and the turn goes on.
func TestPanics(t *testing.T) {
	tool := parley.Tool{
		Name: "price", ReadOnly: true,
		Run: func(context.Context, parley.Call) (string, error) { panic("no prices") },
	}
	for name, test := range map[string]struct {
		script string
		o      parley.Options
		want   string
	}{
		"tool": {"call price {}\nnext\ntext Done.\n", parley.Options{Tools: []parley.Tool{tool}}, "no prices"},
		"approve": {command, parley.Options{Mode: parley.AskAlways, Approve: func(context.Context, *parley.Session, record.ApprovalAsked) parley.Decision {
			panic("no rules")
		}}, "Options.Approve of the program failed: no rules"},
		"answer": {question, parley.Options{Answer: func(context.Context, *parley.Session, record.QuestionAsked) [][]string {
			panic("no answers")
		}}, "Options.Answer of the program failed: no answers"},
	} {
		t.Run(name, func(t *testing.T) {
			s := create(t, open(t, test.script, test.o))
			prompt(t, s, "Go.")
			all := until(t, s, parley.FollowOptions{}, kind(record.KindTurnEnded))
			if e := events[record.ToolEnded](all)[0]; e.Outcome != record.CallFailed || !strings.Contains(e.Output, test.want) {
				t.Errorf("%+v", e)
			}
			if e := events[record.TurnEnded](all)[0]; e.Reason != record.TurnCompleted {
				t.Errorf("%+v", e)
			}
		})
	}
}

// TestTool: a tool that may do anything needs an approval, one that only reads does not; errors are failed calls, input that
// does not fit the schema does not reach Run, and what a tool writes is shown while it runs.
func TestTool(t *testing.T) {
	tool := parley.Tool{
		Name: "price", Schema: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
		Run: func(_ context.Context, call parley.Call) (string, error) {
			var in struct {
				N int `json:"n"`
			}
			if err := call.Decode(&in); err != nil {
				return "", err
			}
			call.Output("looking")
			if in.N > 1 {
				return "", errors.New("only one lamp is left")
			}
			return "12 EUR in " + call.Session.ID(), nil
		},
	}
	calls := "call price {\"n\":1}\nnext\ncall price {\"n\":2}\nnext\ncall price {\"n\":\"many\"}\nnext\ntext Done.\n"
	for _, reads := range []bool{true, false} {
		tool.ReadOnly = reads
		s := create(t, open(t, calls, parley.Options{Tools: []parley.Tool{tool}}))
		records := s.Follow(background(t), parley.FollowOptions{Transient: []string{record.KindToolOutput}})
		prompt(t, s, "Go.")
		var all []record.Event
		for rec, err := range records {
			if err != nil {
				t.Fatal(err)
			}
			e, err := rec.Event()
			if err != nil {
				t.Fatal(err)
			}
			if all = append(all, e); e.Kind() == record.KindTurnEnded {
				break
			}
		}
		ended, shown := events[record.ToolEnded](all), events[record.ToolOutput](all)
		if !reads {
			if len(events[record.ApprovalAsked](all)) != 2 || ended[0].Outcome != record.CallDenied || len(shown) != 0 {
				t.Errorf("a tool that may do anything: %+v", ended)
			}
			continue
		}
		if len(ended) != 3 || ended[0].Output != "12 EUR in "+s.ID() || ended[1].Outcome != record.CallFailed || ended[1].Output != "only one lamp is left" ||
			ended[2].Outcome != record.CallFailed || len(shown) != 2 || shown[0].Text != "looking" {
			t.Errorf("a tool that reads: %+v, %+v", ended, shown)
		}
	}
}
