// Package highlight divides source code into pieces by what they are in its language. It does not know how they look.
package highlight

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

// Diff is the language of unified diffs. It has no pieces: its lines are what counts.
const Diff = "diff"

// Languages are the languages that are known, by their names and file extensions. The map must not be changed.
var Languages = map[string]string{
	"bash": "bash", "sh": "bash", "shell": "bash", "zsh": "bash", "console": "bash",
	"css":  "css",
	"diff": Diff, "patch": Diff, // by the line
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

// Language returns our name for the name on a code block; "" if the language is not known.
func Language(name string) string { return Languages[strings.ToLower(name)] }

// LanguageOf returns the language of a file.
func LanguageOf(file string) string { return Language(strings.TrimPrefix(path.Ext(file), ".")) }

// lexerFor returns the lexer of a language, which it parses at the first call; nil if that fails.
func lexerFor(language string) chroma.Lexer {
	parsed.Lock()
	defer parsed.Unlock()
	if lexer, ok := parsed.lexers[language]; ok {
		return lexer
	}
	var lexer chroma.Lexer
	if l, err := chroma.NewXMLLexer(lexers, "lexers/"+language+".xml"); err == nil {
		lexer = chroma.Coalesce(l)
	}
	parsed.lexers[language] = lexer
	return lexer
}

var parsed = struct {
	sync.Mutex
	lexers map[string]chroma.Lexer
}{lexers: map[string]chroma.Lexer{}}

// A lexer takes some milliseconds for a KiB, and a hundred for text that is made to be slow. These
// limits bound that time.
const (
	MaxText = 8 << 10 // bytes; Fits is false for longer texts
	maxLine = 400     // bytes; as for those with longer lines
)

// Fits reports whether a text is short enough to be divided in time.
func Fits(text string) bool {
	if len(text) > MaxText {
		return false
	}
	for line := range strings.Lines(text) {
		if len(line) > maxLine {
			return false
		}
	}
	return true
}

// A Class is what a piece of source code is.
type Class uint8

// The classes: few, so that few colours are needed.
const (
	Plain Class = iota
	Comment
	Keyword
	String
	Number
	Called // functions, elements, headings
	Named  // attributes and what else has a part
)

// A Piece is a part of a text.
type Piece struct {
	Class Class
	Text  string
}

// Split divides a text into pieces that together are the text, or ok is false. The text should be one that Fits.
func Split(text, language string) (pieces []Piece, ok bool) {
	if language == "go" {
		return scanGo(text), true
	}
	return tokenise(text, language)
}

// tokenise is Split by a lexer of the library.
func tokenise(text, language string) (pieces []Piece, ok bool) {
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
		pieces = append(pieces, Piece{classOf(t.Type), value})
	}
	return pieces, rest == ""
}

func classOf(t chroma.TokenType) Class {
	switch {
	case t.InCategory(chroma.Comment):
		return Comment
	case t.InCategory(chroma.Keyword):
		return Keyword
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	}
	switch t {
	case chroma.NameFunction, chroma.NameClass, chroma.NameTag:
		return Called
	case chroma.NameAttribute, chroma.NameBuiltin, chroma.NameVariable, chroma.NameProperty, chroma.NameDecorator:
		return Named
	}
	return Plain
}
