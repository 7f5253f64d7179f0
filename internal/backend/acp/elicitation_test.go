package acp

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// TestElicitation: what an agent asks the user for is a question, and the answers are the values that it asked for.
func TestElicitation(t *testing.T) {
	labels := func(all ...string) (options []event.Option) {
		for _, l := range all {
			options = append(options, event.Option{Label: l})
		}
		return options
	}
	form := func(properties, required string) string {
		return `"mode":"form","sessionId":"s-1","message":"Please.","requestedSchema":{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
	}
	choice := `"question_0":{"type":"string","title":"Colour","oneOf":[{"const":"r","title":"Red","description":"warm"},{"const":"b","title":"Blue"}]},"question_0_custom":{"type":"string","title":"Other"}`
	red := []event.Question{{Text: "Please.", Header: "Colour", Options: []event.Option{{Label: "Red", Description: "warm"}, {Label: "Blue"}}}}
	many := `"z":{"type":"array","description":"Which?","items":{"anyOf":[{"const":"1","title":"One"},{"const":"2","title":"Two"}]}},"y":{"type":"boolean","title":"Sure"},"x":{"type":"integer"},"w":{"type":"number"},"v":{"type":"string","enum":["k","l"]}`
	manyQuestions := []event.Question{
		{Text: "Please.\nWhich?", Options: labels("One", "Two"), Multi: true}, {Text: "Sure", Header: "Sure", Options: labels("Yes", "No")}, {Text: "x"}, {Text: "w"}, {Text: "v", Options: labels("k", "l")},
	}
	for name, c := range map[string]struct {
		params    string
		questions []event.Question
		answers   [][]string
		err       error
		want      string
	}{
		"option":      {form(choice, ""), red, [][]string{{"Blue"}}, nil, `{"action":"accept","content":{"question_0":"b"}}`},
		"other text":  {form(choice, ""), red, [][]string{{"Green"}}, nil, `{"action":"accept","content":{"question_0_custom":"Green"}}`},
		"no answer":   {form(choice, ""), red, [][]string{nil}, nil, `{"action":"accept","content":{}}`},
		"cancelled":   {form(choice, ""), red, nil, errors.New("interrupted"), `{"action":"cancel"}`},
		"many":        {form(many, `"z"`), manyQuestions, [][]string{{"One", "Two"}, {"No"}, {"7"}, {"1.5"}, {"l"}}, nil, `{"action":"accept","content":{"v":"l","w":1.5,"x":7,"y":false,"z":["1","2"]}}`},
		"unfit":       {form(many, ""), manyQuestions, [][]string{{"Three"}, {"Perhaps"}, {"seven"}, {"?"}, {"m"}}, nil, `{"action":"accept","content":{}}`},
		"required":    {form(many, `"x"`), manyQuestions, [][]string{{"One"}, nil, {"seven"}, nil, nil}, nil, `{"action":"decline"}`},
		"no fields":   {form("", ""), []event.Question{{Text: "Please.", Options: labels("Yes", "No")}}, [][]string{{"Yes"}}, nil, `{"action":"accept"}`},
		"address":     {`"mode":"url","sessionId":"s-1","elicitationId":"e","message":"Sign in.","url":"https://x"`, []event.Question{{Text: "Sign in.\nhttps://x", Options: labels("Yes", "No")}}, [][]string{{"No"}}, nil, `{"action":"decline"}`},
		"of a prompt": {`"mode":"url","requestId":3,"elicitationId":"e","message":"Sign in.","url":"https://x"`, []event.Question{{Text: "Sign in.\nhttps://x", Options: labels("Yes", "No")}}, [][]string{{"Yes"}}, nil, `{"action":"accept"}`},
		"other one":   {`"mode":"form","sessionId":"s-2","message":"m","requestedSchema":{}`, nil, nil, nil, `{"action":"cancel"}`},
		"other mode":  {`"mode":"voice","sessionId":"s-1","message":"m"`, nil, nil, nil, `{"action":"cancel"}`},
		"no object":   {`"mode":"form","sessionId":"s-1","message":"m","requestedSchema":{"properties":[]}`, nil, nil, nil, `{"action":"cancel"}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, Options{}, plainStart+"> session/prompt\n< {\"id\":\"e\",\"method\":\"elicitation/create\",\"params\":{"+c.params+"}}\n=\n< {\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}\n")
			a := w.open(backend.Opening{})
			var questions []event.Question
			w.turn(a, func(u backend.Update) {
				if q, ok := u.(backend.Question); ok {
					questions = q.Questions
					q.Answer(c.answers, c.err)
				}
			})
			equal(t, questions, c.questions)
			w.wantReceived(a, `"id":"e","result":`+c.want)
		})
	}
}

// FuzzForm: no form and no answer ends the program, and what is accepted is JSON.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"mode":"form","message":"m","requestedSchema":{"properties":{"a":{"type":"string","enum":["x"]},"a_custom":{"type":"string"},"b":{"type":"number"}},"required":["a"]}}`), "x")
	f.Add([]byte(`{"mode":"url","url":"u"}`), "Yes")
	f.Fuzz(func(t *testing.T, data []byte, answer string) {
		var p elicitationParams
		if json.Unmarshal(data, &p) != nil {
			return
		}
		form, ok := formOf(p)
		if !ok {
			return
		}
		var answers [][]string
		for range form.questions() {
			answers = append(answers, []string{answer})
		}
		if _, err := json.Marshal(form.result(answers)); err != nil {
			t.Error(err)
		}
	})
}
