package dialect

import "testing"

func TestAbridged(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"aä", 2, "a…"},
		{"aäb", 3, "aä…"},
		{"ä", 0, "…"},
		{"\x84\x84\x84", 2, "…"}, // no UTF-8 at all
	} {
		if got := Abridged(test.text, test.most); got != test.want {
			t.Errorf("%q at %d is %q, want %q", test.text, test.most, got, test.want)
		}
	}
}

func TestEnding(t *testing.T) {
	for note, want := range map[string]string{
		"": "", "[timed out after 5 s]": "timed out after 5 s", "\n[timed out after 5 s]": "timed out after 5 s",
		"\n[exit code 1]\n[hook lint] bad": "exit code 1",
	} {
		if got := Ending(note); got != want {
			t.Errorf("%q ends %q, want %q", note, got, want)
		}
	}
}
