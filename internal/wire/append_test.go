package wire

import "testing"

func TestAppendString(t *testing.T) {
	for in, want := range map[string]string{
		"":                   `""`,
		"plain":              `"plain"`,
		"a\"b\\c":            `"a\"b\\c"`,
		"\n\r\t\b\f\x00\x1f": `"\n\r\t\b\f\u0000\u001f"`,
		"<b>&</b>":           `"<b>&</b>"`,
		"ä😀\u2028":           "\"ä😀\u2028\"",
		"a\xffb\xed\xa0\x80": "\"a\uFFFDb\uFFFD\uFFFD\uFFFD\"",
	} {
		if got := string(AppendString([]byte("x:"), in)); got != "x:"+want {
			t.Errorf("%q: got %s, want x:%s", in, got, want)
		}
	}
}

func BenchmarkAppendString(b *testing.B) {
	var dst []byte
	for b.Loop() {
		dst = AppendString(dst[:0], " a typical delta\n")
	}
}
