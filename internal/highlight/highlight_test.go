package highlight

import (
	"strings"
	"testing"
)

// hostile are texts that are not what they should be.
var hostile = []string{
	"</script><b>\x1b[2J\u202e`", "/*", "\"\\", "'''", "```", "{{{{[[[[((((", strings.Repeat("(", 300), "\xff\xfe", "\x00\x07",
}

// TestHighlight takes texts apart in every language: nothing may be lost.
func TestHighlight(t *testing.T) {
	for language, text := range map[string]string{
		"bash":       "if true; then echo \"$HOME\" # why\nfi\n",
		"css":        "a:hover { color: #fff; } /* why */\n",
		"go":         "package a\n\n// why\nfunc f() string { return `b` + string('c') + \"\\n\" }\n",
		"xml":        "<!-- why --><a href=\"b\">c</a><script>let a = 1</script><style>a{b:c}</style>\n",
		"javascript": "// why\nconst a = `b${c}`\n",
		"json":       "{\"a\": [1, true, null]}\n",
		"python":     "def f(a):\n    return f\"{a}\"  # why\n",
		"rust":       "fn main() { println!(\"a\"); } // why\n",
		"sql":        "SELECT a FROM b WHERE c = 'd' -- why\n",
		"toml":       "[a]\nb = 1 # why\n",
		"typescript": "interface A { b: string } // why\n",
		"yaml":       "a: b # why\nc: [1, 2]\n",
	} {
		t.Run(language, func(t *testing.T) {
			coloured := false
			for i, text := range append([]string{text, text[:len(text)-1], ""}, hostile...) {
				text = strings.ToValidUTF8(text[:min(len(text), maxLine)], "?")
				pieces, ok := Split(text, language)
				if !ok && i < 3 {
					t.Errorf("%q is not highlighted", text)
				}
				whole := ""
				for _, p := range pieces {
					whole += p.Text
					coloured = coloured || p.Class != Plain
				}
				if ok && whole != text {
					t.Errorf("%q became %q", text, whole)
				}
			}
			if !coloured {
				t.Error("nothing has a colour")
			}
		})
	}
}

func FuzzScanGo(f *testing.F) {
	for _, text := range append([]string{"package a // b\nvar c = `\r\n`", "\ufefff(", "a /* \r"}, hostile...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole := ""
		for _, p := range scanGo(text) {
			whole += p.Text
			if p.Class == identifier {
				t.Errorf("%q has no class of the style sheet", p.Text)
			}
		}
		if whole != text {
			t.Errorf("%q became %q", text, whole)
		}
	})
}
