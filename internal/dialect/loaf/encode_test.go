package loaf

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

func TestUnsplit(t *testing.T) {
	for line, want := range map[string]string{
		`{"a":"b"}`:                      `{"a":"b"}`,
		"{\"\u2028\":\"x\u2029\u2028\"}": `{"\u2028":"x\u2029\u2028"}`,
		"\"\u2029\"":                     `"\u2029"`,
		"[\"\\\\\u2028\",\"€\u2027\"]":   "[\"\\\\\\u2028\",\"€\u2027\"]",
	} {
		if got := string(unsplit([]byte(line))); got != want {
			t.Errorf("%s became %s, want %s", line, got, want)
		}
	}
	// Whatever the text, it is read as it was.
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("\u2028\u2029\\\"u2028\n\u00e2"))).Draw(t, "text")
		line, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		line = unsplit(line)
		var again string
		if err := json.Unmarshal(line, &again); err != nil || again != text || bytes.ContainsAny(line, "\u2028\u2029") {
			t.Fatalf("%q became %q, %v", text, again, err)
		}
	})
}
