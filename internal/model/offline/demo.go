package offline

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// introduction opens the first answer of every turn.
const introduction = "I am Parley's offline demo model: a few fixed rules, no network, no language model. "

// wordsPerDelta is the number of words in a delta of the demo.
const wordsPerDelta = 3

// Demo returns a small rule-based model. It answers a handful of prompts ("list the go files",
// "read X", "fix the failing test" …) by really calling the tools it is offered, whatever
// their names, and by reporting what came back. Its answer is a pure function of the request.
func Demo() model.Provider { return demo{} }

type demo struct{}

// Stream answers req by rule. It never fails; only ctx can end it early.
func (demo) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return speak(ctx, req, func(s *speech) error {
		r := answerTo(req)
		for _, piece := range pieces(r.text) {
			if err := s.say(model.TextDelta, piece); err != nil {
				return err
			}
		}
		if r.call == nil {
			return s.done(model.StopEnd, nil)
		}
		if err := s.call(r.call.ID, r.call.Name, string(r.call.Input)); err != nil {
			return err
		}
		return s.done(model.StopTools, nil)
	})
}

// A reply is an answer of the demo: text, and a call unless the turn ends.
type reply struct {
	text string
	call *model.Call
}

func say(format string, args ...any) reply { return reply{text: fmt.Sprintf(format, args...)} }

// answerTo decides what to answer.
func answerTo(req *model.Request) reply {
	if len(req.Tools) == 0 {
		system := strings.ToLower(req.System)
		switch {
		case strings.Contains(system, "summar"):
			return reply{text: summary(lastHeard(req))}
		case strings.Contains(system, "title"):
			return reply{text: title(lastHeard(req))}
		}
	}
	t := turnOf(req)
	r := t.reply()
	if len(t.rounds) == 0 {
		r.text = introduction + r.text
	}
	if r.call != nil {
		r.call.ID = fmt.Sprintf("call_%d", countCalls(req)+1)
	}
	return r
}

// countCalls returns how many calls the conversation holds, so that ids do not repeat in it.
func countCalls(req *model.Request) int {
	n := 0
	for _, m := range req.Messages {
		n += len(m.Calls())
	}
	return n
}

// pieces divides text after every few words.
func pieces(text string) []string {
	var out []string
	start, words := 0, 0
	for i := 1; i < len(text); i++ {
		if !isBlank(text[i-1]) || isBlank(text[i]) {
			continue
		}
		if words++; words == wordsPerDelta {
			out = append(out, text[start:i])
			start, words = i, 0
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' }

// A turn is the conversation from the user's last prompt on.
type turn struct {
	prompt string
	rounds []round
	tools  toolbox
}

// A round is one call of the demo and its result.
type round struct {
	name   string
	input  jsontext.Value
	result model.Result
}

func turnOf(req *model.Request) turn {
	t := turn{tools: newToolbox(req)}
	results := map[string]model.Result{}
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := req.Messages[i]
		for _, b := range m.Blocks {
			if b.Result != nil {
				results[b.Result.CallID] = *b.Result
			}
		}
		var calls []round
		for _, c := range m.Calls() {
			calls = append(calls, round{c.Name, c.Input, results[c.ID]})
		}
		t.rounds = append(calls, t.rounds...)
		if m.Role == model.User {
			t.prompt = strings.TrimSpace(m.Text())
			break
		}
	}
	return t
}

// do returns a reply with a call and its explanation, or one that says that no offered tool can do
// it if c is nil.
func (t turn) do(c *model.Call, format string, args ...any) reply {
	if c == nil {
		return say("I would need a tool that can do this, and I was offered none that I know.")
	}
	return reply{text: fmt.Sprintf(format, args...), call: c}
}
