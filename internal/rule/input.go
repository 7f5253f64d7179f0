package rule

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"parley.dev/parley/internal/lazy"
)

// fileMembers are the members of inputs that name the file of a call.
var fileMembers = []string{"path", "file_path", "file", "notebook_path"}

// An input parses the JSON of a call's input while it is streamed; it reads each byte once. It
// accepts invalid JSON as far as that is possible.
type input struct {
	file string // "": not known yet

	open   []byte // brackets
	inside bool   // in a string
	escape []byte // the open escape, from its backslash on
	high   rune   // the high surrogate of an escaped character; 0: none
	name   bool   // the open string, or the next, is the name of a member
	member string // the member of the outermost object whose value follows
	text   []byte // of the open string, if it is a name or may name a file
	texts  strings.Builder
}

// add parses a piece of the input and returns the text of the strings in it, without the names of
// members, each complete string followed by a line feed.
func (in *input) add(piece string) string {
	in.texts.Reset()
	for i := range len(piece) {
		c := piece[i]
		switch {
		case !in.inside:
			in.structure(c)
		case len(in.escape) > 0:
			in.escaped(c)
		case c == '\\':
			in.escape = append(in.escape, c)
		case c == '"':
			in.end()
		default:
			in.write(c)
		}
	}
	return in.texts.String()
}

func (in *input) structure(c byte) {
	switch c {
	case '"':
		in.inside, in.text = true, in.text[:0]
	case '{', '[':
		in.open = append(in.open, c)
		in.name = c == '{'
	case '}', ']':
		in.open = in.open[:max(0, len(in.open)-1)]
		in.name = false
	case ',':
		in.name = len(in.open) > 0 && in.open[len(in.open)-1] == '{'
	case ':':
		in.name = false
	}
}

// end closes the open string.
func (in *input) end() {
	in.inside = false
	switch {
	case in.name && len(in.open) == 1:
		in.member = string(in.text)
	case in.name:
	default:
		in.texts.WriteByte('\n')
		if in.namesFile() {
			in.file = string(in.text)
		}
	}
}

// namesFile reports whether the open string is the first that names a file.
func (in *input) namesFile() bool {
	return in.file == "" && len(in.open) == 1 && in.open[0] == '{' && slices.Contains(fileMembers, in.member)
}

func (in *input) write(c ...byte) {
	if in.name || in.namesFile() {
		in.text = append(in.text, c...)
	}
	if !in.name {
		in.texts.Write(c)
	}
}

var escapes = lazy.Value[map[byte]byte]{New: func() map[byte]byte { return map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'} }}

// escaped adds the next byte of an escape.
func (in *input) escaped(c byte) {
	in.escape = append(in.escape, c)
	switch {
	case len(in.escape) == 2 && c != 'u':
		if plain, ok := escapes.Get()[c]; ok {
			c = plain
		}
		in.write(c)
	case len(in.escape) < len(`\u0000`):
		return
	default:
		in.unicode()
	}
	in.escape = in.escape[:0]
}

func (in *input) unicode() {
	n, err := strconv.ParseUint(string(in.escape[2:]), 16, 16)
	char := rune(n)
	switch {
	case err != nil:
		return
	case in.high != 0:
		char, in.high = utf16.DecodeRune(in.high, char), 0
	case utf16.IsSurrogate(char):
		in.high = char
		return
	}
	in.write([]byte(string(char))...)
}
