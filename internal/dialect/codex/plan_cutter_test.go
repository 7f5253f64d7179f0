package codex

import (
	"strings"
	"testing"
)

// planTable has texts of models, and what is cut of them: plans in brackets, the rest as it is.
var planTable = []struct{ text, want string }{
	{"Hello.", "Hello."},
	{"  Hello. \n", "  Hello. \n"},
	{"\n", "\n"},
	{"<proposed_plan>\n# Do it\n\n- one\n</proposed_plan>", "[# Do it\n\n- one]"},
	{"Before.\n\n<proposed_plan>a</proposed_plan>\nAfter.\n", "Before.[a]\nAfter."},
	{"Before.\n  <proposed_plan>a</proposed_plan> ", "Before.[a]"},
	{"<proposed_plan>a</proposed_plan><proposed_plan>b</proposed_plan>", "[a][b]"},
	{"<proposed_plan>one\ntwo", "[one\ntwo]"},
	{"<proposed_plan> \n </proposed_plan>", ""},
	{"The tag `<proposed_plan>` begins it.", "The tag `<proposed_plan>` begins it."},
	{"<proposed_plan>a </ b < c</proposed_plan>", "[a </ b < c]"},
	{"<proposed_plan>a <proposed_plan> b</proposed_plan>", "[a <proposed_plan> b]"},
	{"a\n<proposed", "a\n<proposed"},
	{"a\n<proposed_plans>\n", "a\n<proposed_plans>\n"},
	{"</proposed_plan>", "</proposed_plan>"},
	{"größe\n<proposed_plan>größer</proposed_plan>", "größe[größer]"},
}

// cutAt cuts a text that arrives in chunks of these lengths, the last one again and again.
func cutAt(text string, lengths ...int) string {
	var c planCutter
	var out strings.Builder
	open := false
	show := func(pieces []planPiece) {
		for _, p := range pieces {
			if p.plan && p.text != "" && !open {
				out.WriteString("[")
				open = true
			}
			out.WriteString(p.text)
			if p.end && open {
				out.WriteString("]")
				open = false
			}
		}
	}
	for i := 0; text != ""; i++ {
		n := min(lengths[min(i, len(lengths)-1)], len(text))
		show(c.next(text[:n]))
		text = text[n:]
	}
	show(c.end())
	return out.String()
}

// TestPlanCutter: plans are cut out of texts, wherever a chunk ends.
func TestPlanCutter(t *testing.T) {
	for _, test := range planTable {
		for n := 1; n <= len(test.text); n++ {
			if got := cutAt(test.text, n); got != test.want {
				t.Errorf("%q in chunks of %d: %q, want %q", test.text, n, got, test.want)
			}
			if got := cutAt(test.text, n, len(test.text)); got != test.want {
				t.Errorf("%q cut at %d: %q, want %q", test.text, n, got, test.want)
			}
		}
	}
}

// FuzzPlanCutter has texts and a place to divide them: the result is that of the whole text.
func FuzzPlanCutter(f *testing.F) {
	for _, test := range planTable {
		f.Add(test.text, len(test.text)/2)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		if text == "" {
			return
		}
		at = 1 + max(0, at)%len(text)
		whole := cutAt(text, len(text))
		for _, lengths := range [][]int{{at, len(text)}, {at}, {1}} {
			if got := cutAt(text, lengths...); got != whole {
				t.Fatalf("%q in chunks of %v: %q, whole: %q", text, lengths, got, whole)
			}
		}
	})
}
