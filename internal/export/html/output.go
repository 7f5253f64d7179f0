package html

import (
	"strings"
	"unicode/utf8"

	"parley.dev/parley/internal/lazy"
)

// The limits of a text. A longer one is shown without its middle.
const (
	textCap = 64 << 10 // bytes
	tailCap = 16 << 10 // of them, of the end
)

// cutMiddle returns text without its middle if it is too long, and the number of omitted bytes.
func cutMiddle(text string) (shown string, omitted int) {
	if len(text) <= textCap {
		return text, 0
	}
	head, tail := text[:textCap-tailCap], text[len(text)-tailCap:]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	for !utf8.ValidString(head[max(0, len(head)-utf8.UTFMax):]) && len(head) > 0 && !utf8.RuneStart(head[len(head)-1]) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	omitted = len(text) - len(head) - len(tail)
	return head + "\n⋯ " + size(omitted) + " left out ⋯\n" + tail, omitted
}

// leftOut writes that a text is not complete.
func (f *fold) leftOut(bytes int) {
	if bytes > 0 {
		f.element("p", size(bytes)+" of this text are not on the page.", "class", "cut")
	}
}

// terminal matches control sequences for terminals: colours, titles, cursor moves.
var terminal = lazy.Regexp{Expr: "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[()][0-9A-Za-z]|[=>78cDEHMNOZ])"}

// readable returns a program's output without control sequences for terminals.
func readable(text string) string {
	if strings.IndexByte(text, 0x1b) >= 0 {
		text = terminal.Get().ReplaceAllLiteralString(text, "")
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// output writes a text of a tool, which the style sheet collapses if it is long.
func (f *fold) output(text, language, title string) {
	text, left := cutMiddle(readable(text))
	if left > 0 {
		language = ""
	}
	f.block(text, language, title)
	f.leftOut(left)
}

// block writes preformatted text; one that scrolls can be reached by keyboard.
func (f *fold) block(text, language, title string) {
	const scrolls = 24 // lines
	if strings.Count(text, "\n") > scrolls {
		f.open("pre", "class", "long", "tabindex", "0", "role", "region", "aria-label", title)
	} else {
		f.put("<pre>")
	}
	f.put("<code>")
	f.highlight(text, language)
	f.put("</code></pre>\n")
}
