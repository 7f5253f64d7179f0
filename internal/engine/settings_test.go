package engine

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// otherSettings returns settings of which no field is as in the zero value, or as with another word.
func otherSettings(t *testing.T, word string) event.Settings {
	s := event.Settings{
		Archived: word == "a", Sandbox: approval.Sandbox{Roots: []string{"/" + word}}, RefusedApprovals: []approval.Subject{approval.Subject(word)},
		ToolGroups: []string{word}, Options: map[string]jsontext.Value{"x": jsontext.Value(`"` + word + `"`)},
	}
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String {
			f.SetString(word)
		} else if f.IsZero() && f.Kind() != reflect.Bool {
			t.Fatalf("%s is not set", v.Type().Field(i).Name)
		}
	}
	return s
}

// TestRevert: a change is taken back in each field, but where another one came after it.
func TestRevert(t *testing.T) {
	before, after := event.Settings{}, otherSettings(t, "a")
	got := cloneSettings(after)
	Revert(before, after)(&got)
	if !sameSettings(got, before) {
		t.Errorf("nothing came after: %+v", got)
	}
	later := otherSettings(t, "b")
	got = cloneSettings(later)
	Revert(before, after)(&got)
	if got.Archived = later.Archived; !sameSettings(got, later) {
		t.Errorf("all was changed after: %+v", got)
	}
	got = cloneSettings(after)
	got.Mode = "b"
	Revert(before, after)(&got)
	if got.Asking != after.Asking || !got.Sandbox.Equal(after.Sandbox) || got.Name != "" {
		t.Errorf("the mode was changed after: %+v", got)
	}
}
