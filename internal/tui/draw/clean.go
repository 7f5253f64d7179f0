package draw

import (
	"strings"

	"parley.dev/parley/internal/invisible"
	"parley.dev/parley/internal/terminal"
)

// clean returns foreign text without what could control the terminal, divided into lines. All foreign text but that of
// approvals and the output of commands passes it.
func clean(text string) []string {
	return strings.Split(strings.TrimRight(terminal.Clean(text), "\n"), "\n")
}

// oneLine returns foreign text for one line.
func oneLine(text string) string { return terminal.Line(text) }

// exact divides text that is about to be approved into lines. Characters that cannot be seen are shown by name.
func exact(text string, look, sign style) []line {
	var lines []line
	for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		var spans line
		from := 0
		for i, r := range l {
			if !invisible.Is(r) && r != '\uFFFD' {
				continue
			}
			spans = append(spans, span{text: l[from:i], style: look}, span{text: signOf(r), style: sign})
			from = i + len(string(r))
			if r == '\uFFFD' && !strings.HasPrefix(l[i:], "\uFFFD") { // a byte that is not UTF-8
				from = i + 1
			}
		}
		lines = append(lines, append(spans, span{text: l[from:], style: look}))
	}
	return lines
}

// signOf returns what is shown for an invisible character: the name of it, or the symbol of an ASCII control character.
func signOf(r rune) string {
	if r < ' ' || r == 0x7f || r == '\uFFFD' {
		return strings.ReplaceAll(invisible.Sign(r), "⟨U+FFFD⟩", "\uFFFD")
	}
	return "<" + invisible.Name(r) + ">"
}
