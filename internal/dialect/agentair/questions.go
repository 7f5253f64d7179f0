package agentair

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
)

// questionsOf returns the questions of a call as clients see them. Which have to be answered and
// what stands there at first are in the model's input only.
func questionsOf(input jsontext.Value, asked []event.Question) []Question {
	var written struct {
		Questions []struct {
			Required     bool    `json:"required"`
			DefaultValue *string `json:"defaultValue"`
		} `json:"questions"`
	}
	_ = json.Unmarshal(input, &written) // it fits the tool's schema, or is another tool's
	questions := make([]Question, len(asked))
	for i, a := range asked {
		q := Question{ID: fmt.Sprintf("q%d", i+1), Text: a.Text, QuestionType: FreeText}
		if len(a.Options) > 0 {
			labels := make([]string, len(a.Options))
			for j, o := range a.Options {
				labels[j] = o.Label
			}
			q.QuestionType, q.Options = SingleChoice, &labels
			if a.Multi {
				q.QuestionType = MultiChoice
			}
		}
		if len(written.Questions) == len(asked) {
			q.Required = written.Questions[i].Required
			if q.QuestionType == FreeText {
				q.DefaultValue = written.Questions[i].DefaultValue
			}
		}
		questions[i] = q
	}
	return questions
}
