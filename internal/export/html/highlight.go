package html

import (
	"embed"
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// lexers are from the library, whose own package of them parses hundreds at start. Here each is
// parsed when the first text needs it.
//
//go:embed lexers/*.xml
var lexers embed.FS

// The languages that are highlighted, by their names and file extensions.
var languages = map[string]string{
	"bash": "bash", "sh": "bash", "shell": "bash", "zsh": "bash", "console": "bash",
	"css":  "css",
	"diff": "diff", "patch": "diff", // by the line
	"go": "go", "golang": "go", // by the language's own scanner
	"js": "javascript", "javascript": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript",
	"json": "json", "jsonc": "json", "jsonl": "json",
	"py": "python", "python": "python", "python3": "python",
	"rs": "rust", "rust": "rust",
	"sql":  "sql",
	"toml": "toml",
	"ts":   "typescript", "typescript": "typescript", "tsx": "typescript", "mts": "typescript",
	"xml": "xml", "html": "xml", "htm": "xml", "svg": "xml", "vue": "xml",
	"yaml": "yaml", "yml": "yaml",
}

// languageNamed returns our name for the name on a code block; "" if there is none.
func languageNamed(name string) string { return languages[strings.ToLower(name)] }

// languageOf returns the language of a file.
func languageOf(file string) string { return languageNamed(strings.TrimPrefix(path.Ext(file), ".")) }

// lexerFor returns the lexer of a language, which it parses at the first call; nil if that fails.
func lexerFor(language string) chroma.Lexer {
	shelf.Lock()
	defer shelf.Unlock()
	if lexer, ok := shelf.lexers[language]; ok {
		return lexer
	}
	var lexer chroma.Lexer
	if l, err := chroma.NewXMLLexer(lexers, "lexers/"+language+".xml"); err == nil {
		lexer = chroma.Coalesce(l)
	}
	shelf.lexers[language] = lexer
	return lexer
}

var shelf = struct {
	sync.Mutex
	lexers map[string]chroma.Lexer
}{lexers: map[string]chroma.Lexer{}}

// A lexer takes some milliseconds for a KiB, and a hundred for text that is made to be slow. These
// limits bound the time for a page. They count bytes, not time, so that the same session gives the
// same page.
const (
	highlightCap = 8 << 10 // longer texts have one colour
	lineCap      = 400     // as have those with longer lines
	coloursCap   = 4 << 20 // of a page; text after that has one colour
)

// colours is how many bytes of a page may still be highlighted.
type colours struct{ left int }

func (c *colours) take(n int) bool {
	if c == nil || n > c.left {
		return false
	}
	c.left -= n
	return true
}

// code writes a block of code in a language; "" is none.
func (s *sheet) code(text, language string) {
	s.put(`<pre><code>`)
	s.highlight(text, language)
	s.put("</code></pre>\n")
}

func (s *sheet) highlight(text, language string) {
	if language == "diff" {
		s.diffLines(text)
		return
	}
	var pieces []piece
	ok := false
	if language != "" && len(text) <= highlightCap && longestLine(text) <= lineCap && s.colours.take(len(text)) {
		pieces, ok = split(text, language)
	}
	if !ok {
		s.text(text)
	}
	for _, p := range pieces {
		if p.class == "" {
			s.text(p.text)
		} else {
			s.element("span", p.text, "class", p.class)
		}
	}
}

// split divides a text into pieces that together are the text, or ok is false.
func split(text, language string) (pieces []piece, ok bool) {
	if language == "go" {
		return scanGo(text), true
	}
	return tokenise(text, language)
}

func longestLine(text string) int {
	most := 0
	for line := range strings.Lines(text) {
		most = max(most, len(line))
	}
	return most
}

// A piece is a part of a text with its class in the style sheet; "" is none.
type piece struct{ class, text string }

// The classes: few colours.
const (
	comment = "hc"
	keyword = "hk"
	literal = "hs"
	number  = "hn"
	called  = "hf" // functions, elements, headings
	named   = "ha" // attributes and what else has a part
)

// tokenise is split by a lexer of the library.
func tokenise(text, language string) (pieces []piece, ok bool) {
	lexer := lexerFor(language)
	if lexer == nil {
		return nil, false
	}
	defer func() {
		if recover() != nil { // a lexer's rules are not made for every text
			pieces, ok = nil, false
		}
	}()
	it, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return nil, false
	}
	rest := text
	for t := it(); t != chroma.EOF; t = it() {
		value := t.Value
		if value == rest+"\n" {
			value = rest // some lexers end the last line themselves
		}
		if rest, ok = strings.CutPrefix(rest, value); !ok {
			return nil, false
		}
		pieces = append(pieces, piece{classOf(t.Type), value})
	}
	return pieces, rest == ""
}

func classOf(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return comment
	case t.InCategory(chroma.Keyword):
		return keyword
	case t.InSubCategory(chroma.LiteralString):
		return literal
	case t.InSubCategory(chroma.LiteralNumber):
		return number
	}
	switch t {
	case chroma.NameFunction, chroma.NameClass, chroma.NameTag:
		return called
	case chroma.NameAttribute, chroma.NameBuiltin, chroma.NameVariable, chroma.NameProperty, chroma.NameDecorator:
		return named
	}
	return ""
}
