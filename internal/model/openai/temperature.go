package openai

import (
	"strings"

	"parley.dev/parley/internal/model"
)

// temperature is what to send of the temperature that req wants; nil: nothing. OpenAI's
// reasoning models refuse it; a model that is asked to reason is one, whatever its name.
// Servers of other models take it all the same.
func (o Options) temperature(req *model.Request) *float64 {
	if reasons(req.Model) || !o.Compatible && o.effort(req.Thinking) != "" {
		return nil
	}
	return req.Tuning.Temperature
}

// reasons says whether a model of OpenAI's reasons, by its id: o1, o3-mini, gpt-5.2,
// openai/gpt-5-mini, codex-mini-latest; not gpt-4o, gpt-5-chat-latest, gpt-oss-20b.
func reasons(id string) bool {
	name := id[strings.LastIndexByte(id, '/')+1:]
	if rest, ok := strings.CutPrefix(name, "o"); ok {
		return number(rest) > 0
	}
	if rest, ok := strings.CutPrefix(name, "gpt-"); ok {
		return number(rest) >= 5 && !strings.Contains(rest, "-chat")
	}
	return strings.HasPrefix(name, "codex-")
}

// number is what s begins with, up to 999; 0: no number.
func number(s string) (n int) {
	for _, r := range s[:min(len(s), 3)] {
		if r < '0' || r > '9' {
			break
		}
		n = 10*n + int(r-'0')
	}
	return n
}
