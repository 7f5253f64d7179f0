package tool

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

const askInputText = `{"questions":[
	{"question":"Which database?","header":"Database","options":[{"label":"SQLite","description":"one file"},{"label":"PostgreSQL"}]},
	{"question":"Which fruits?","options":[{"label":"fig"},{"label":"date"}],"multi":true},
	{"question":"Anything else?"}]}`

func TestAsk(t *testing.T) {
	call, err := Ask().Prepare(&Env{}, []byte(askInputText))
	if err != nil {
		t.Fatal(err)
	}
	if r := call.Request(); r.Level != approval.Read || r.Summary != "ask: Which database?" {
		t.Errorf("%+v", r)
	}
	for _, tc := range []struct {
		name    string
		answers [][]string
		err     error
		want    string
		isError bool
	}{
		{
			"all",
			[][]string{{"SQLite"}, {"fig", "date"}, {"Be quick"}},
			nil,
			"Which database?\n→ SQLite\nWhich fruits?\n→ fig, date\nAnything else?\n→ Be quick\n", false,
		},
		{
			"some",
			[][]string{{"SQLite"}, {}},
			nil,
			"Which database?\n→ SQLite\nWhich fruits?\n→ (no answer)\nAnything else?\n→ (no answer)\n", false,
		},
		{"cancelled", nil, nil, "The user does not want to answer the questions.", true},
		{"no client", nil, errors.New("no client is connected"), "The questions were not answered: no client is connected", true},
	} {
		var asked []event.Question
		hooks := Hooks{Ask: func(_ context.Context, questions []event.Question) ([][]string, error) {
			asked = questions
			return tc.answers, tc.err
		}}
		if r := call.Run(t.Context(), hooks); r.Text != tc.want || r.IsError != tc.isError {
			t.Errorf("%s: %q, error %t\nwant %q", tc.name, r.Text, r.IsError, tc.want)
		}
		if len(asked) != 3 || asked[0].Header != "Database" || !asked[1].Multi || asked[2].Text != "Anything else?" ||
			!slices.Equal(asked[0].Options, []event.Option{{Label: "SQLite", Description: "one file"}, {Label: "PostgreSQL"}}) {
			t.Errorf("%+v were asked", asked)
		}
	}
}

func TestAskRefuses(t *testing.T) {
	question := `{"question":"Really?"}`
	for input, want := range map[string]string{
		`{"questions":[]}`: "not 0",
		`{"questions":[` + strings.Repeat(question+",", 4) + question + `]}`:                  "not 5",
		`{"questions":[{"question":" "}]}`:                                                    "needs a text",
		`{"questions":[{"question":"Which?","options":[{"label":"fig"},{"label":"fig"}]}]}`:   `"fig" stands twice`,
		`{"questions":[{"question":"Which?","options":[{"label":"fig","colour":"violet"}]}]}`: "colour",
	} {
		if _, err := Ask().Prepare(&Env{}, []byte(input)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", input, err)
		}
	}
}
