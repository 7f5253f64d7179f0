package anthropic

import (
	"cmp"
	"strconv"
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// minBudget is the least budget the wire takes, and the least we leave for the answer, in tokens.
const minBudget = 1024

// maxBudget is more than any model takes, in tokens: what is asked for stays a number.
const maxBudget = 1 << 30

// noSummary is the wish of a request that thinking is not shown. The wire has no other
// choice to make about summaries.
const noSummary = "none"

// interleaved lets models that think by budget think between tool calls, too.
const interleaved = "interleaved-thinking-2025-05-14"

// defaultBudget is the budget of the highest level when the request names none, in tokens.
const defaultBudget = 32768

// shares are the thinking levels as parts of 32 of the highest one's budget, for models
// that think by budget.
var shares = map[model.Thinking]int64{
	model.Minimal: 1,
	model.Low:     4,
	model.Medium:  10,
	model.High:    20,
	model.XHigh:   32,
}

// efforts are the thinking levels as the wire's efforts, for models that decide themselves.
var efforts = map[model.Thinking]string{
	model.Minimal: "low",
	model.Low:     "low",
	model.Medium:  "medium",
	model.High:    "high",
	model.XHigh:   "xhigh",
}

// Ways to think, and whether thinking is shown.
const (
	thinkingEnabled  = "enabled"
	thinkingAdaptive = "adaptive"
	thinkingDisabled = "disabled"

	displaySummarized = "summarized"
	displayOmitted    = "omitted"
)

// think asks for the thinking that req wants, in the way its model takes it.
func think(p *messagesRequest, req *model.Request, at *profile.Profile) {
	if req.Thinking == model.Off && at.Word(model.Off) != "" {
		p.Thinking.Type = thinkingDisabled
	}
	v := versionOf(req.Model)
	if req.Thinking == "" && v.major >= 5 {
		adapt(p, req) // they think without being asked, and show nothing of it then
	}
	if shares[req.Thinking] == 0 {
		return
	}
	if v.adaptive() {
		adapt(p, req)
		p.OutputConfig.Effort = efforts[req.Thinking]
		if req.Thinking == model.XHigh && v == (version{4, 6}) {
			p.OutputConfig.Effort = "max" // it has no xhigh
		}
		return
	}
	budget, most := budgetOf(req), p.MaxTokens/2 // the answer needs room, too
	switch {
	case req.MaxTokens == 0:
		p.MaxTokens += budget
		most = budget
	case req.Tuning.ThinkingBudget > 0:
		most = p.MaxTokens - minBudget
	}
	if budget = min(budget, most); budget >= minBudget {
		p.Thinking = thinkingConfig{Type: thinkingEnabled, BudgetTokens: budget}
		if req.Tuning.Summary == noSummary {
			p.Thinking.Display = displayOmitted
		}
	}
}

// adapt leaves it to the model how much it thinks, and asks that a summary of it is shown.
func adapt(p *messagesRequest, req *model.Request) {
	p.Thinking = thinkingConfig{Type: thinkingAdaptive, Display: displaySummarized}
	if req.Tuning.Summary == noSummary {
		p.Thinking.Display = displayOmitted
	}
}

// budgetOf returns the tokens that req may think with.
func budgetOf(req *model.Request) int64 {
	highest := min(int64(cmp.Or(req.Tuning.ThinkingBudget, defaultBudget)), maxBudget)
	return max(highest*shares[req.Thinking]/shares[model.XHigh], minBudget)
}

// temper sets the temperature that req wants, on the wire's scale from 0 to 1. The wire
// refuses it of a model that thinks, and of every model since 4.7.
func temper(p *messagesRequest, req *model.Request) {
	v := versionOf(req.Model)
	thinks := p.Thinking.Type == thinkingEnabled || p.Thinking.Type == thinkingAdaptive
	t := req.Tuning.Temperature
	if t == nil || thinks || v.major > 4 || v.major == 4 && v.minor >= 7 {
		return
	}
	p.Temperature = new(min(*t, 1))
}

// betas returns the names of what the wire still counts as beta.
func betas(req *model.Request) []string {
	if shares[req.Thinking] == 0 || len(req.Tools) == 0 || versionOf(req.Model).adaptive() {
		return nil
	}
	return []string{interleaved}
}

// A version is that of a Claude model; zero: another model, or not known.
type version struct{ major, minor int }

// adaptive reports whether the model decides how much it thinks. From 4.6 on budgets are
// deprecated, then refused.
func (v version) adaptive() bool {
	return v.major > 4 || v.major == 4 && v.minor >= 6
}

// versionOf reads claude-opus-4-6, claude-sonnet-4-5-20250929, anthropic/claude-sonnet-4.6,
// claude-3-7-sonnet-latest. A number of more than two digits is a date.
func versionOf(id string) (v version) {
	_, name, ok := strings.Cut(id, "claude-")
	if !ok {
		return v
	}
	var numbers []int
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '.' }) {
		n, err := strconv.Atoi(word)
		switch {
		case err == nil && len(word) <= 2:
			numbers = append(numbers, n)
		case len(numbers) > 0:
			return versionFrom(numbers)
		}
	}
	return versionFrom(numbers)
}

func versionFrom(numbers []int) (v version) {
	if len(numbers) > 0 {
		v.major = numbers[0]
	}
	if len(numbers) > 1 {
		v.minor = numbers[1]
	}
	return v
}
