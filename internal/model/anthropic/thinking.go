package anthropic

import (
	"strconv"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"parley.dev/parley/internal/model"
)

// minBudget is the least budget the wire takes, and the least we leave for the answer, in tokens.
const minBudget = 1024

// interleaved lets models that think by budget think between tool calls, too.
const interleaved = "interleaved-thinking-2025-05-14"

// budgets are the thinking levels in tokens, for models that think by budget.
var budgets = map[model.Thinking]int64{
	model.Minimal: minBudget,
	model.Low:     4096,
	model.Medium:  10240,
	model.High:    20480,
	model.XHigh:   32768,
}

// efforts are the thinking levels as the wire's efforts, for models that decide themselves.
var efforts = map[model.Thinking]anthropic.OutputConfigEffort{
	model.Minimal: anthropic.OutputConfigEffortLow,
	model.Low:     anthropic.OutputConfigEffortLow,
	model.Medium:  anthropic.OutputConfigEffortMedium,
	model.High:    anthropic.OutputConfigEffortHigh,
	model.XHigh:   anthropic.OutputConfigEffortXhigh,
}

// think asks for the thinking that req wants, in the way its model takes it.
func think(p *anthropic.MessageNewParams, req *model.Request) {
	budget, ok := budgets[req.Thinking]
	if !ok {
		return
	}
	if v := versionOf(req.Model); v.adaptive() {
		p.Thinking.OfAdaptive = &anthropic.ThinkingConfigAdaptiveParam{
			Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized,
		}
		p.OutputConfig.Effort = efforts[req.Thinking]
		if req.Thinking == model.XHigh && v == (version{4, 6}) {
			p.OutputConfig.Effort = anthropic.OutputConfigEffortMax // it has no xhigh
		}
		return
	}
	if req.MaxTokens == 0 {
		p.MaxTokens += budget
	}
	if budget = min(budget, p.MaxTokens-minBudget); budget >= minBudget {
		p.Thinking = anthropic.ThinkingConfigParamOfEnabled(budget)
	}
}

// betas are the options for what the wire still counts as beta.
func betas(req *model.Request) []option.RequestOption {
	if budgets[req.Thinking] == 0 || len(req.Tools) == 0 || versionOf(req.Model).adaptive() {
		return nil
	}
	return []option.RequestOption{option.WithHeaderAdd("anthropic-beta", interleaved)}
}

// A version is that of a Claude model; zero: another model, or not told.
type version struct{ major, minor int }

// adaptive says whether the model decides how much it thinks. From 4.6 on budgets are
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
