package agentair

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	questions := []Question{
		{"q1", "Which engine?", SingleChoice, &[]string{"Postgres", "SQLite"}, true, nil},
		{"q2", "Which tests?", MultiChoice, &[]string{"unit", "load"}, false, nil},
		{"q3", "q1", FreeText, nil, false, nil}, // its text is the id of another
	}
	failed := func(details string) string { return `{"error":"validation_failed","details":[` + details + `]}` }
	for name, test := range map[string]struct {
		given   []Answer
		result  string
		answers [][]string
	}{
		"by id and by text":             {[]Answer{{"q2", []string{"unit", "load"}}, {"Which engine?", []string{"SQLite"}}, {"q3", []string{"x"}}}, "", [][]string{{"SQLite"}, {"unit", "load"}, {"x"}}},
		"the id wins over a text":       {[]Answer{{"q1", []string{"SQLite"}}}, "", [][]string{{"SQLite"}, nil, nil}},
		"another text than the options": {[]Answer{{"q1", []string{"DuckDB <1>"}}, {"q2", []string{}}}, "", [][]string{{"DuckDB <1>"}, {}, nil}},
		"the last answer counts":        {[]Answer{{"q1", []string{"a", "b"}}, {"Which engine?", []string{"SQLite"}}}, "", [][]string{{"SQLite"}, nil, nil}},
		"required, and left out":        {[]Answer{}, failed(`{"question":"Which engine?","error":"required_field_empty"}`), nil},
		"required, and empty":           {[]Answer{{"q1", []string{""}}}, failed(`{"question":"Which engine?","error":"required_field_empty"}`), nil},
		"too many":                      {[]Answer{{"q1", []string{"a", "b"}}}, failed(`{"question":"Which engine?","error":"too_many_selections"}`), nil},
		"unknown, and left out":         {[]Answer{{"Q1", []string{"a"}}}, failed(`{"question":"Q1","error":"unknown_question"},{"question":"Which engine?","error":"required_field_empty"}`), nil},
		"unknown beside the rest":       {[]Answer{{"q4", nil}, {"q1", []string{"a"}}}, failed(`{"question":"q4","error":"unknown_question"}`), nil},
	} {
		result, answers, valid := judge(questions, test.given)
		if string(result) != test.result || valid != (test.answers != nil) {
			t.Errorf("%s: %s, valid %v\nwant %s", name, result, valid, test.result)
		}
		if diff := cmp.Diff(test.answers, answers); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	bare := []Question{{"q1", "A?", MultiChoice, &[]string{}, false, nil}, {"q2", "B?", SingleChoice, nil, false, nil}}
	if got, _, valid := judge(bare, nil); valid || string(got) != failed(`{"question":"A?","error":"empty_choices"},{"question":"B?","error":"empty_choices"}`) {
		t.Errorf("%s", got)
	}
}
