package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool"
)

// A moderator is a model with a moderation: it refuses requests that have the word. Else it answers with
// the next of its answers.
type moderator struct {
	word    string
	answers []answerFunc
}

func (m *moderator) answer(ctx context.Context, req *model.Request, yield func(model.Delta, error) bool) {
	if strings.Contains(strings.Join(conversation(*req), " "), m.word) {
		yield(model.Delta{}, &model.Error{Kind: model.Rejected, Status: 400, Message: "Content Exists Risk", Moderated: true})
		return
	}
	next := m.answers[0]
	m.answers = m.answers[1:]
	next(ctx, req, yield)
}

func moderated(t *testing.T, tools []fakeTool, word string, answers ...answerFunc) *bench {
	m := &moderator{word, answers}
	return newBench(t, tools, slices.Repeat([]answerFunc{m.answer}, 20)...)
}

// conversation describes the messages of a request.
func conversation(req model.Request) (all []string) {
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			switch b.Kind {
			case model.KindText:
				all = append(all, string(m.Role)+": "+b.Text)
			case model.KindToolCall:
				all = append(all, "call: "+b.Call.Name+" "+string(b.Call.Input))
			case model.KindToolResult:
				all = append(all, "result: "+b.Result.Text)
			}
		}
	}
	return all
}

func textNotices(records []event.Record) (all []string) {
	for _, n := range find[event.Notice](records) {
		if n.Code == NoticeTextRefused {
			all = append(all, n.Text)
		}
	}
	return all
}

func wantConversation(t *testing.T, b *bench, request int, want ...string) {
	t.Helper()
	requests := b.requests()
	if len(requests) != request+1 {
		t.Fatalf("%d requests, want %d", len(requests), request+1)
	}
	if diff := cmp.Diff(want, conversation(requests[request])); diff != "" {
		t.Errorf("request %d: %s", request, diff)
	}
}

// A prompt that moderation refuses fails its turn, and later requests to the model have a note in its
// place, also after a resume; another model gets it, and the records keep it.
func TestRefusedPrompt(t *testing.T) {
	b := moderated(t, nil, "forbidden", say("Hello."), say("Yes."), say("Still here."))
	s := b.session(t, nil)
	turnOf(t, s, "Hi.", nil)
	records := turnOf(t, s, "A forbidden word.", nil)
	if end := ended(t, records); end.Reason != event.TurnFailed || end.Failure.Message != "HTTP 400: Content Exists Risk" {
		t.Errorf("the turn ended %s: %+v", end.Reason, end.Failure)
	}
	notice := []string{`script/test refused the prompt "A forbidden word."; later requests to it have a note there: Content Exists Risk`}
	if diff := cmp.Diff(notice, textNotices(records)); diff != "" {
		t.Error(diff)
	}
	if got := find[event.UserMessage](records)[0].Blocks[0].Text; got != "A forbidden word." {
		t.Errorf("the record of the prompt is %q", got)
	}
	wantConversation(t, b, 1, "user: Hi.", "assistant: Hello.", "user: A forbidden word.")
	turnOf(t, s, "Are you there?", nil)
	wantConversation(t, b, 2, "user: Hi.", "assistant: Hello.", "user: "+session.PromptRefused, "user: Are you there?")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	resumed, err := b.host().Open(t.Context(), s.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer resumed.Close(context.Background())
	turnOf(t, resumed, "Still?", nil)
	wantConversation(t, b, 3, "user: Hi.", "assistant: Hello.", "user: "+session.PromptRefused, "user: Are you there?", "assistant: Yes.", "user: Still?")
	b.info = scriptInfo
	b.info.ID = "other"
	turnOf(t, resumed, "And you?", nil)
	wantConversation(t, b, 4,
		"user: Hi.", "assistant: Hello.", "user: A forbidden word.", "user: Are you there?", "assistant: Yes.", "user: Still?", "assistant: Still here.", "user: And you?")
}

// The results of tools that moderation refuses are left out, and the turn goes on.
func TestRefusedResults(t *testing.T) {
	read := fakeTool{"read", approval.Read, func(_ context.Context, _ tool.Hooks, input string) tool.Result {
		return tool.Result{Text: "contents of " + input}
	}}
	b := moderated(t, []fakeTool{read}, "contents", call(toolCall("1", "read", `{"text":"a.txt"}`)), say("I cannot see it."), say("Ok."))
	s := b.session(t, nil)
	records := turnOf(t, s, "Read it.", nil)
	if end := ended(t, records); end.Reason != event.TurnCompleted {
		t.Errorf("the turn ended %s: %+v", end.Reason, end.Failure)
	}
	notice := []string{`script/test refused the result of read a.txt; later requests to it have a note there: Content Exists Risk`}
	if diff := cmp.Diff(notice, textNotices(records)); diff != "" {
		t.Error(diff)
	}
	want := []string{"user: Read it.", `call: read {"text":"a.txt"}`, "result: " + session.ResultRefused}
	wantConversation(t, b, 2, want...)
	turnOf(t, s, "Go on.", nil)
	wantConversation(t, b, 3, append(want, "assistant: I cannot see it.", "user: Go on.")...)
}

// A conversation with another model that moderation refuses is left out once a prompt was refused for it
// in vain.
func TestRefusedConversation(t *testing.T) {
	b := newBench(t, nil, say("The forbidden word."))
	s := b.session(t, nil)
	turnOf(t, s, "Say it.", nil)
	m := &moderator{"forbidden", []answerFunc{say("Ok."), say("Sure.")}}
	b.answers = append(b.answers, slices.Repeat([]answerFunc{m.answer}, 10)...)
	b.info = scriptInfo
	b.info.ID = "strict"
	if end := ended(t, turnOf(t, s, "Translate it.", nil)); end.Reason != event.TurnFailed {
		t.Errorf("the turn ended %s", end.Reason)
	}
	wantConversation(t, b, 1, "user: Say it.", "assistant: The forbidden word.", "user: Translate it.")
	records := turnOf(t, s, "Hello?", nil)
	if end := ended(t, records); end.Reason != event.TurnCompleted {
		t.Errorf("the turn ended %s: %+v", end.Reason, end.Failure)
	}
	without := []string{"user: " + session.PromptRefused, "assistant: " + session.AnswerRefused, "user: " + session.PromptRefused, "user: Hello?"}
	wantConversation(t, b, 3, without...)
	notice := []string{`script/strict refused the prompt "Say it." and an answer; later requests to it have a note there: Content Exists Risk`}
	if diff := cmp.Diff(notice, textNotices(records)); diff != "" {
		t.Error(diff)
	}
	turnOf(t, s, "Thanks.", nil)
	wantConversation(t, b, 4, append(without, "assistant: Ok.", "user: Thanks.")...)
}

// Of prompts that are refused one after the other, each is left out, and nothing else.
func TestRefusedPromptsInARow(t *testing.T) {
	b := moderated(t, nil, "forbidden", say("Hello."), say("Yes."))
	s := b.session(t, nil)
	turnOf(t, s, "Hi.", nil)
	for _, prompt := range []string{"One forbidden word.", "Two forbidden words.", "Three forbidden words."} {
		if end := ended(t, turnOf(t, s, prompt, nil)); end.Reason != event.TurnFailed {
			t.Errorf("the turn ended %s", end.Reason)
		}
	}
	turnOf(t, s, "Are you there?", nil)
	want := []string{"user: Hi.", "assistant: Hello.", "user: " + session.PromptRefused, "user: " + session.PromptRefused, "user: " + session.PromptRefused, "user: Are you there?"}
	wantConversation(t, b, len(b.requests())-1, want...)
	if n := len(b.requests()); n != 7 { // the second and the third prompt are tried without earlier messages, too
		t.Errorf("%d requests", n)
	}
}

// An answer that moderation ended is left out with its prompt.
func TestRefusedAnswer(t *testing.T) {
	refused := func(said string) answerFunc {
		return func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
			m := model.Message{Role: model.Assistant}
			if said != "" {
				m.Blocks = []model.Block{model.TextBlock(said)}
				yield(model.Delta{Kind: model.TextDelta, Text: said}, nil)
			}
			yield(model.Delta{Kind: model.Done, Response: &model.Response{Message: m, Stop: model.StopRefused, Moderated: true}}, nil)
		}
	}
	for _, test := range []struct {
		said string
		want []string
	}{
		{"", []string{"user: " + session.PromptRefused, "user: Hello?"}},
		{"Well", []string{"user: " + session.PromptRefused, "assistant: " + session.AnswerRefused, "user: Hello?"}},
	} {
		b := newBench(t, nil, refused(test.said), say("Hi."))
		s := b.session(t, nil)
		records := turnOf(t, s, "A bad prompt.", nil)
		if end := ended(t, records); end.Reason != event.TurnRefused {
			t.Errorf("the turn ended %s", end.Reason)
		}
		if notices := textNotices(records); len(notices) != 1 || !strings.Contains(notices[0], `"A bad prompt."`) {
			t.Errorf("notices %q", notices)
		}
		turnOf(t, s, "Hello?", nil)
		wantConversation(t, b, 1, test.want...)
	}
}

// An answer that moderation cut is left out; its prompt, which was taken, is not.
func TestRefusedInMidAnswer(t *testing.T) {
	cut := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		if yield(model.Delta{Kind: model.TextDelta, Text: "Half"}, nil) {
			yield(model.Delta{}, &model.Error{Kind: model.Rejected, Message: "Output data may contain inappropriate content.", Moderated: true})
		}
	}
	b := newBench(t, nil, cut, say("Yes."))
	s := b.session(t, nil)
	records := turnOf(t, s, "Go on.", nil)
	if end := ended(t, records); end.Reason != event.TurnFailed {
		t.Errorf("the turn ended %s", end.Reason)
	}
	if got := text(records); got != "Half" {
		t.Errorf("clients saw %q", got)
	}
	turnOf(t, s, "Hello?", nil)
	wantConversation(t, b, 1, "user: Go on.", "assistant: "+session.AnswerRefused, "user: Hello?")
}

// A summary for a model lacks what that model refused, and so do the prompts beside it.
func TestRefusedTextInSummary(t *testing.T) {
	read := fakeTool{"read", approval.Read, func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "forbidden contents"} }}
	b := moderated(t, []fakeTool{read}, "forbidden",
		call(toolCall("1", "read", `{"text":"a.txt"}`)), say("I cannot see it."), say("Yes."), say("A summary."), say("Ok."))
	s := b.session(t, nil)
	turnOf(t, s, "Read it.", nil)
	turnOf(t, s, "A forbidden word.", nil)
	turnOf(t, s, "Are you there?", nil)
	wait, err := s.Compact(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	if end := ended(t, turnOf(t, s, "Go on.", nil)); end.Reason != event.TurnCompleted {
		t.Errorf("the turn ended %s: %+v", end.Reason, end.Failure)
	}
}
