package frontmatter

import (
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][2]string{
		"":                          {"", ""},
		"text":                      {"", "text"},
		"---":                       {"", "---"},
		"---\na: 1\n---\ntext\n":    {"a: 1\n", "text\n"},
		"\uFEFF---\na: 1\n---\nx":   {"a: 1\n", "x"},
		"--- \r\na: 1\r\n---\t\r\n": {"a: 1\r\n", ""},
		"---\na: 1\n...\ntext":      {"a: 1\n", "text"},
		"---\n---\ntext":            {"", "text"},
		"---\na: 1\n":               {"", "---\na: 1\n"},
		"---\na: ---\n--- b\n---":   {"a: ---\n--- b\n", ""},
		"\n---\na: 1\n---\n":        {"", "\n---\na: 1\n---\n"},
		"----\na: 1\n---\n":         {"", "----\na: 1\n---\n"},
	} {
		if head, body := Split(text); head != want[0] || body != want[1] {
			t.Errorf("%q: %q, %q", text, head, body)
		}
	}
}

func TestParse(t *testing.T) {
	if fields, err := Parse("a: 1\nb: [x, y]\n"); err != nil || fields["a"] != 1 || len(fields["b"].([]any)) != 2 {
		t.Error(fields, err)
	}
	for _, head := range []string{"", "# remark\n"} {
		if fields, err := Parse(head); err != nil || len(fields) != 0 {
			t.Errorf("%q: %v, %v", head, fields, err)
		}
	}
	for _, head := range []string{"a: [", "text", "- a", "a: b: c", "\ta: 1"} {
		if _, err := Parse(head); err == nil || !strings.HasPrefix(err.Error(), "its front matter is not valid: ") {
			t.Errorf("%q: %v", head, err)
		}
	}
}

// TestParseAgain: a caller that changes the fields does not change them for the next one.
func TestParseAgain(t *testing.T) {
	for _, head := range []string{"a: 1\nb: 2\n", "a: 1\nb: 2\n# " + strings.Repeat("long ", maxCached) + "\n"} {
		for range 3 {
			fields, err := Parse(head)
			if err != nil || len(fields) != 2 || fields["a"] != 1 {
				t.Errorf("%.20q: %v, %v", head, fields, err)
			}
			delete(fields, "a")
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"---\na: 1\n---\ntext", "---\n? [a]: &x {y: *x}\n...\n", "---\n<<: *a\n---\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		head, body := Split(text)
		if !strings.HasSuffix(text, body) || !strings.Contains(text, head) {
			t.Errorf("%q was divided into %q and %q", text, head, body)
		}
		if fields, err := Parse(head); err != nil && fields != nil {
			t.Errorf("%v, and %v", fields, err)
		}
	})
}
