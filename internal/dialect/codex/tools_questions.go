package codex

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
)

// A namedQuestion is what a question of a model has besides what our tool takes.
type namedQuestion struct {
	ID       string `json:"id"`
	Question string `json:"question"`
}

// adaptQuestions leaves out the names of questions: the result has them.
func adaptQuestions(shown map[string]jsontext.Value) error {
	var questions []map[string]jsontext.Value
	if err := json.Unmarshal(shown["questions"], &questions); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, q := range questions {
		if id := string(q["id"]); names[id] {
			return errors.New("two questions have the id " + id)
		} else {
			names[id] = true
		}
		delete(q, "id")
	}
	return setValue(shown, "questions", questions)
}

// resultOfQuestions gives the answers the names of their questions. What is no list of answers stays as it is.
func resultOfQuestions(input jsontext.Value, r engine.CallResult) engine.CallResult {
	var asked struct {
		Questions []namedQuestion `json:"questions"`
	}
	var given struct {
		Answers []struct {
			Question string   `json:"question"`
			Answer   []string `json:"answer"`
		} `json:"answers"`
	}
	if r.Failed || json.Unmarshal(input, &asked) != nil || json.Unmarshal([]byte(r.Text), &given) != nil {
		return r
	}
	type answers struct {
		Answers []string `json:"answers"`
	}
	named := map[string]answers{}
	for _, q := range asked.Questions {
		for i, a := range given.Answers {
			if a.Question == q.Question && a.Answer != nil {
				named[q.ID] = answers{a.Answer}
				given.Answers[i].Answer = nil // another question may have the same text
				break
			}
		}
	}
	text, err := json.Marshal(map[string]any{"answers": named}, json.Deterministic(true))
	if err == nil {
		r.Text = string(text)
	}
	return r
}
