package offline

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/text"
)

// introduction opens the first answer of every turn.
const introduction = "I am Parley's offline demo model: a few fixed rules, no network, no language model. "

// Demo returns a small rule-based model. It answers a handful of prompts ("list the go files",
// "read X", "fix the failing test" …) by really calling the tools it is offered, whatever
// their names, and by reporting their results. Its answer is a pure function of the request.
func Demo() model.Provider { return demo{} }

type demo struct{}

// Stream answers req by rule. It never fails; only ctx can end it early.
func (demo) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return speak(ctx, req, func(s *speech) error {
		r := answerTo(req)
		for words := range slices.Chunk(strings.SplitAfter(r.text, " "), 3) {
			if err := s.say(model.TextDelta, strings.Join(words, "")); err != nil {
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

// A reply is text, and a call unless the turn ends.
type reply struct {
	text string
	call *model.Call
}

func say(format string, args ...any) reply { return reply{text: fmt.Sprintf(format, args...)} }

// answerTo returns the answer to a request. Without tools that is a summary: the beginning of what it is given.
func answerTo(req *model.Request) reply {
	if len(req.Tools) == 0 && strings.Contains(strings.ToLower(req.System), "summar") {
		beginning := text.Clip(strings.Join(lines(lastHeard(req)), "\n"), 4000, " …")
		return say("Extracted by Parley's offline demo model, without understanding:\n%s", beginning)
	}
	t := turnOf(req)
	r := t.reply()
	if len(t.results) == 0 {
		r.text = introduction + r.text
	}
	if r.call != nil { // ids do not repeat in a conversation
		calls := 0
		for _, m := range req.Messages {
			calls += len(m.Calls())
		}
		r.call.ID = fmt.Sprintf("call_%d", calls+1)
	}
	return r
}

// A turn is the conversation from the user's last prompt on.
type turn struct {
	prompt  string
	results []model.Result // of the demo's calls, oldest first
	tools   toolbox
}

func turnOf(req *model.Request) turn {
	t := turn{tools: toolboxOf(req)}
	for _, m := range req.Messages {
		if m.Role == model.User {
			t.prompt, t.results = strings.TrimSpace(m.Text()), nil
		}
		for _, b := range m.Blocks {
			if b.Result != nil {
				t.results = append(t.results, *b.Result)
			}
		}
	}
	return t
}

// step returns the reply in a turn of one call: the call, then its result.
func (t turn) step(call *model.Call) reply {
	if len(t.results) > 0 {
		return report(t.results[0])
	}
	return t.do(call, "I call a tool for that.")
}

// do returns a reply with a call; nil: no offered tool can do it.
func (t turn) do(call *model.Call, format string, args ...any) reply {
	if call == nil {
		return say("I would need a tool that can do this, and I was offered none that I know.")
	}
	return reply{fmt.Sprintf(format, args...), call}
}
