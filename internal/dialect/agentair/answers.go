package agentair

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// What is wrong with an answer.
const (
	unknownQuestion    = "unknown_question"
	tooManySelections  = "too_many_selections"
	requiredFieldEmpty = "required_field_empty"
	emptyChoices       = "empty_choices"
)

// A badAnswer is an error for the model: what is wrong with the answer to a question.
type badAnswer struct {
	Question string `json:"question"` // its text
	Error    string `json:"error"`
}

// judge holds answers against the questions: each names one by its id or, failing that, its
// exact text, and of several answers to one the last counts. Any text may answer a choice.
// Valid answers come in the order of the questions, nil for one that was left out; otherwise
// the result is the text that ends the call, and says what is wrong with them.
func judge(questions []Question, given []Answer) (result jsontext.Value, answers [][]string, valid bool) {
	answers = make([][]string, len(questions))
	var bad []badAnswer
	for _, a := range given {
		i := slices.IndexFunc(questions, func(q Question) bool { return q.ID == a.Question })
		if i < 0 {
			i = slices.IndexFunc(questions, func(q Question) bool { return q.Text == a.Question })
		}
		if i < 0 {
			bad = append(bad, badAnswer{a.Question, unknownQuestion})
			continue
		}
		answers[i] = a.Answer
	}
	for i, q := range questions {
		if problem := q.fault(answers[i]); problem != "" {
			bad = append(bad, badAnswer{q.Text, problem})
		}
	}
	if len(bad) == 0 {
		return nil, answers, true
	}
	return marshal(struct {
		Error   string      `json:"error"`
		Details []badAnswer `json:"details"`
	}{"validation_failed", bad}), nil, false
}

// fault returns what is wrong with the answer to q; "" if nothing is.
func (q Question) fault(answer []string) string {
	switch {
	case q.QuestionType != FreeText && (q.Options == nil || len(*q.Options) == 0):
		return emptyChoices
	case q.QuestionType == SingleChoice && len(answer) > 1:
		return tooManySelections
	case q.Required && cmp.Or(answer...) == "":
		return requiredFieldEmpty
	}
	return ""
}
