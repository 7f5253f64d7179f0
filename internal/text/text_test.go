package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	for _, test := range []struct{ name, got, want string }{
		{"white space", OneLine(" a\t\n b\u00a0 c "), "a b c"},
		{"no white space", OneLine("a"), "a"},
		{"nothing to show", Printable(" a\x1b[31m\u200bb\xff\xfec\n"), "a [31m b\uFFFDc"},
		{"shorter than the limit", Prefix("größe", 7), "größe"},
		{"within a character", Prefix("größe", 3), "gr"},
		{"after a character", Prefix("größe", 4), "grö"},
		{"no room", Prefix("öl", 1), ""},
		{"as long as the limit", Clip("größe", 7, "…"), "größe"},
		{"longer than the limit", Clip("größe", 4, " …"), "grö …"},
		{"as many characters", ClipRunes("größe", 5, "…"), "größe"},
		{"more characters", ClipRunes("größe", 3, "…"), "grö…"},
		{"no characters", ClipRunes("größe", 0, "…"), "…"},
		{"mark not needed", FitRunes("größe", 5, "…"), "größe"},
		{"mark within the limit", FitRunes("größe", 4, "…"), "grö…"},
		{"longer mark", FitRunes("größe", 4, " …"), "gr …"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", test.name, test.got, test.want)
		}
	}
}

func FuzzClip(f *testing.F) {
	f.Add("größe", 3)
	f.Add("\x80\x80", 1)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = int(uint(limit) % 64)
		got := Prefix(s, limit)
		if len(got) > limit || !strings.HasPrefix(s, got) || utf8.ValidString(s) && (!utf8.ValidString(got) || len(s) > limit && limit-len(got) >= utf8.UTFMax) {
			t.Errorf("Prefix(%q, %d) = %q", s, limit, got)
		}
		if got := FitRunes(s, limit+1, "…"); utf8.RuneCountInString(got) > limit+1 {
			t.Errorf("FitRunes(%q, %d) = %q", s, limit+1, got)
		}
	})
}
