package mcp

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

var errNo = errors.New("no")

// A person is a user who answers questions in order; nil cancels. Without answers, questions wait.
type person struct {
	mu      sync.Mutex
	asked   []event.Question
	permits []string
	answers [][][]string
	decide  error // of approvals
	never   bool  // questions cannot be asked
}

func (p *person) hooks() tool.Hooks {
	h := hooks(nil)
	h.Ask = func(ctx context.Context, questions []event.Question) ([][]string, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.never {
			return nil, tool.ErrUnattended
		}
		p.asked = append(p.asked, questions...)
		if len(p.answers) == 0 {
			p.mu.Unlock()
			<-ctx.Done()
			p.mu.Lock()
			return nil, errNo
		}
		answer := p.answers[0]
		p.answers = p.answers[1:]
		if answer == nil {
			return nil, errNo
		}
		return answer, nil
	}
	h.Permit = func(_ context.Context, summary, _ string) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.permits = append(p.permits, summary)
		return p.decide
	}
	return h
}

func (p *person) texts() (texts []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.asked {
		texts = append(texts, q.Text)
	}
	return texts
}

func TestElicitation(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "asking"))
	yes, no := [][]string{{answerIt}}, [][]string{{declineIt}}
	for name, test := range map[string]struct {
		tool   string
		person *person
		want   string
	}{
		"all fields":      {"form", &person{answers: [][][]string{yes, {{"Ann"}, {"30"}, {"No"}, {"Large"}, {"Air", "Bath"}, {"a@b.c"}}}}, `{"action":"accept","content":{"age":30,"agree":false,"extras":["a","b"],"mail":"a@b.c","name":"Ann","plan":"l"}}`},
		"defaults":        {"form", &person{answers: [][][]string{yes, {{"Ann"}, {""}, nil, nil, nil, nil}}}, `{"action":"accept","content":{"agree":true,"name":"Ann","plan":"s"}}`},
		"asked again":     {"form", &person{answers: [][][]string{yes, {{"A"}, {"old"}, nil, {"Huge"}, nil, {"x"}}, {{"Ann"}, {"3"}, {"Small"}, {"a@b"}}}}, `{"action":"accept","content":{"age":3,"agree":true,"mail":"a@b","name":"Ann","plan":"s"}}`},
		"filled in":       {"form", &person{answers: [][][]string{{{answerIt, `{"name":"Ann","age":30,"agree":false,"plan":"l","extras":["a"],"more":1}`}}}}, `{"action":"accept","content":{"age":30,"agree":false,"extras":["a"],"name":"Ann","plan":"l"}}`},
		"filled in wrong": {"form", &person{answers: [][][]string{{{answerIt, `{"name":"Ann","age":"old"}`}}, {{"3"}}}}, `{"action":"accept","content":{"age":3,"agree":true,"name":"Ann","plan":"s"}}`},
		"filled nonsense": {"form", &person{answers: [][][]string{{{answerIt, `[`}}, {{"Ann"}}}}, `{"action":"accept","content":{"agree":true,"name":"Ann","plan":"s"}}`},
		"never fits":      {"form", &person{answers: [][][]string{yes, {nil}, {nil}, {nil}}}, `{"action":"cancel"}`},
		"declined":        {"form", &person{answers: [][][]string{no}}, `{"action":"decline"}`},
		"cancelled":       {"form", &person{answers: [][][]string{nil}}, `{"action":"cancel"}`},
		"cancelled later": {"form", &person{answers: [][][]string{yes, nil}}, `{"action":"cancel"}`},
		"other words":     {"form", &person{answers: [][][]string{{{"maybe"}}}}, `{"action":"decline"}`},
		"confirmed":       {"confirm", &person{answers: [][][]string{{{acceptIt}}}}, `{"action":"accept"}`},
		"unattended":      {"form", &person{never: true}, `{"action":"decline"}`},
		"approved":        {"defaults", &person{never: true}, `{"action":"accept","content":{"n":1.5}}`},
		"not approved":    {"defaults", &person{never: true, decide: errNo}, `{"action":"decline"}`},
		"opened":          {"url", &person{answers: [][][]string{{{openedIt}}}}, `{"action":"accept"}`},
		"not opened":      {"url", &person{answers: [][][]string{no}}, `{"action":"decline"}`},
		"finished":        {"needs_sign-in", &person{answers: [][][]string{{{finishedIt}}}}, `"try 2"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := v.prepare(test.tool, `{}`).Run(t.Context(), test.person.hooks())
			if r.IsError || r.Text != test.want {
				t.Errorf("%s, want %s", r.Text, test.want)
			}
			if len(test.person.answers) > 0 {
				t.Errorf("%d answers were not asked for", len(test.person.answers))
			}
			for _, text := range test.person.texts() {
				if strings.ContainsAny(text, "\x1b\a\n") {
					t.Errorf("%q", text)
				}
			}
		})
	}
	r := v.prepare("needs_sign-in", `{}`).Run(t.Context(), (&person{answers: [][][]string{no}}).hooks())
	if !r.IsError || !strings.Contains(r.Text, "sign in first (code -32042)") {
		t.Errorf("declined: %q", r.Text)
	}
}

// TestElicitedQuestions: what is shown is marked as the server's words, and the fields come in its order.
func TestElicitedQuestions(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "asking"))
	p := &person{answers: [][][]string{{{answerIt}}, nil}}
	v.prepare("form", `{}`).Run(t.Context(), p.hooks())
	want := []string{
		`The tool server "srv" asks for your input. Its words: "Who` + "\ufffd" + `[2J are you?  Allow bash: rm -rf / ?"`,
		"Your\ufffd name (at least 3 characters)",
		"age (a whole number, at least 0, at most 150; optional)",
		"agree (default: Yes)",
		"plan (default: Small)",
		"extras (optional)",
		"mail (an e-mail address; optional)",
	}
	if diff := cmp.Diff(want, p.texts()); diff != "" {
		t.Error(diff)
	}
	e := p.asked[0].Elicitation
	if e == nil || e.Server != "srv" || !strings.HasPrefix(e.Message, "Who\ufffd[2J are you?") || strings.Contains(string(e.Schema), `\u001b`) ||
		!strings.Contains(string(e.Schema), `"title":"Your`) || p.asked[1].Elicitation != nil {
		t.Errorf("%+v", e)
	}
	if p.asked[0].Header != "srv" || !p.asked[5].Multi || p.asked[4].Options[1].Label != "Large" {
		t.Errorf("%+v", p.asked)
	}
}

// TestElicitationEndsWithItsCall: an interrupt, the end of the server and the end of the call end
// what is asked, and a server has few questions open at the same time.
func TestElicitationEndsWithItsCall(t *testing.T) {
	b := newBench(t, nil)
	v := b.visit(server(t, "asking"))
	ctx, cancel := context.WithCancel(t.Context())
	p := &person{}
	h := p.hooks()
	ask := h.Ask
	h.Ask = func(ctx context.Context, questions []event.Question) ([][]string, error) {
		cancel()
		return ask(ctx, questions)
	}
	if r := v.prepare("form", `{}`).Run(ctx, h); r.Text != "[interrupted]" {
		t.Errorf("interrupted: %q", r.Text)
	}
	if r := v.prepare("leave", `{}`).Run(t.Context(), (&person{}).hooks()); r.Text != `"left"` {
		t.Errorf("left: %q", r.Text)
	}
	if r := v.prepare("many", `{}`).Run(t.Context(), (&person{}).hooks()); r.Text != "7" {
		t.Errorf("many: %q", r.Text)
	}
	short := server(t, "asking")
	short.CallLimit = 1
	w := b.visit(short)
	c := w.prepare("confirm", `{}`)
	if r := c.Run(t.Context(), (&person{}).hooks()); !strings.Contains(r.Text, "cancel") && !r.IsError {
		t.Errorf("never answered: %q", r.Text)
	}
}

// TestElicitationOfSeveralSessions: where a server may mean one of several sessions, none is asked.
func TestElicitationOfSeveralSessions(t *testing.T) {
	b := newBench(t, nil)
	s := server(t, "asking")
	v, w := b.visit(s), b.visit(s)
	first, second := v.prepare("form", `{}`), w.prepare("confirm", `{}`)
	p := &person{}
	h := p.hooks()
	ask := h.Ask
	h.Ask = func(ctx context.Context, questions []event.Question) ([][]string, error) {
		other := &person{}
		if r := second.Run(t.Context(), other.hooks()); !strings.Contains(r.Text, "several sessions") || len(other.asked) > 0 {
			t.Errorf("%q, asked %q", r.Text, other.texts())
		}
		p.mu.Lock()
		p.answers = [][][]string{{{declineIt}}}
		p.mu.Unlock()
		return ask(ctx, questions)
	}
	if r := first.Run(t.Context(), h); r.Text != `{"action":"decline"}` {
		t.Errorf("%q", r.Text)
	}
}
