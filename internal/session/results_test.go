package session

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestArgument(t *testing.T) {
	for input, want := range map[string]string{
		`{"path":"src/a.go","limit":3}`:           " src/a.go",
		`{"limit":3,"command":"ls\npwd"}`:         " ls…",
		`{"limit":3}`:                             "",
		`{"a":[1,{"b":null}],"c":["x","y"]}`:      " x",
		`{"a":"` + strings.Repeat("é", 50) + `"}`: " " + strings.Repeat("é", 40) + "…",
		`{"a":`: "",
		``:      "",
	} {
		if got := argument(jsontext.Value(input)); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}
