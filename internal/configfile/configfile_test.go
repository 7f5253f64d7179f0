package configfile

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

type sample struct {
	Name   string            `json:"name"`
	Count  int               `json:"count"`
	Ratio  float64           `json:"ratio"`
	On     bool              `json:"on"`
	Lines  []sample          `json:"lines"`
	ByName map[string]sample `json:"by_name"`
	Nested *sample           `json:"nested"`
	embedded
}

type embedded struct {
	Limit int `json:"limit"`
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		"{\"name\": \"a\", // it\n\"limit\": 2,}": "",
		"":               "",
		"// nothing":     "",
		"{\n\"nam\": 1}": `f:2: there is no setting "nam"; did you mean "name"?`,
		"{\"nested\":\n{\"lines\": [\n{\"cuont\": 1}]}}": `f:3: there is no setting "nested.lines[0].cuont"; did you mean "count"?`,
		`{"by_name": {"x": {"ratoi": 1}}}`:               `f:1: there is no setting "by_name.x.ratoi"; did you mean "ratio"?`,
		`{"limt": 1}`:                                    `f:1: there is no setting "limt"; did you mean "limit"?`,
		`{"zzz": 1}`:                                     `f:1: there is no setting "zzz"`,
		`{"count": "1"}`:                                 `f:1: count: expected a whole number, found a string`,
		`{"count": 1.5}`:                                 `f:1: count: expected a whole number, found 1.5`,
		`{"ratio": true}`:                                `f:1: ratio: expected a number, found true`,
		`{"on": {}}`:                                     `f:1: on: expected true or false, found an object`,
		`{"lines": {}}`:                                  `f:1: lines: expected a list, found an object`,
		`{"nested": []}`:                                 `f:1: nested: expected an object, found a list`,
		`{"on": true, "on": true}`:                       `f:1: on: it is there twice`,
		`5`:                                              `f:1: expected an object, found a number`,
		"{\n\n":                                          `f:3: parsing value: unexpected end of the file`,
	} {
		var s sample
		_, err := Decode("f", []byte(text), &s, json.RejectUnknownMembers(true))
		if got := message(err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestLine(t *testing.T) {
	var s sample
	f, err := Decode("f", []byte("{\n\"name\": \"a\",\n\"lines\": [\n{},\n{\"count\": 1}\n]}"), &s)
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]int{"name": 2, "lines": 3, "lines[0]": 4, "lines[1].count": 5, "lines[1].name": 5, "lines[9]": 3, "other": 1} {
		if got := f.Line(setting); got != want {
			t.Errorf("%s: line %d, want %d", setting, got, want)
		}
	}
	if names := f.Names(); !slices.Equal(names, []string{"lines", "name"}) {
		t.Errorf("names = %q", names)
	}
}

// FuzzDecode checks that every text is decoded, or refused with its path and a line.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"", "{}", "// x", "[1]", `{"name":"x","lines":[{"count":2}]} // end`, "{\n\"nam\": 1}", `{"nested":{"nested":{"ratio":"x"}}}`, "\x00", `{"\u0000":1}`, `{"":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s sample
		file, err := Decode("f", text, &s, json.RejectUnknownMembers(true))
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%q: %v", text, err)
		}
		if line := file.Line("lines[0].name"); line < 1 || line > 1+strings.Count(string(text), "\n") {
			t.Errorf("%q: line %d", text, line)
		}
		file.Names()
	})
}
