package approval

import "testing"

func TestUnseen(t *testing.T) {
	const what = "it holds characters that cannot be seen: "
	for _, test := range []struct {
		r    Request
		want string
	}{
		{Request{Command: "git status\n\techo 'größer 日本 ✅ ❤️'"}, ""},
		{Request{Command: "rm -rf build \u202e# txt.a tac"}, what + "U+202E"},
		{Request{Command: "rm -rf /tmp/a\u00a0b\r\x1b[2K"}, what + "U+00A0, U+000D, U+001B"},
		{Request{Command: "cat a\u200b.txt \u200b \u2066x\u2069"}, what + "U+200B, U+2066, U+2069"},
		{Request{URL: "https://example.com/\u00ad"}, what + "U+00AD"},
		{Request{Paths: []Path{{Path: "/w/a"}, {Path: "/w/b", Shown: "b\ufeff"}}}, what + "U+FEFF"},
		{Request{Summary: "patch a\u3164"}, what + "U+3164"},
		{Request{Command: "\u2028\U000e0041\u2029\ue000\u2063\u2064\u2062"}, what + "U+2028, U+E0041, U+2029, U+E000, U+2063, …"},
		{Request{}, ""},
	} {
		if got := test.r.Invisible(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.r, got, test.want)
		}
	}
}
