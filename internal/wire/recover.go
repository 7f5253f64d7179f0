package wire

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// RecoverObject returns the members that can be read of a line that is not a valid JSON object, or
// of the beginning of a line: the answer to it needs its id.
//
// It reads the outermost object up to and including the first member whose end cannot be found,
// or up to the first mistake between two members. Strings, numbers and literals are complete and
// valid. Of an object or an array only the end is searched: Get returns an empty value for it, as
// for a scalar that is incomplete or invalid.
func RecoverObject(line []byte) Object {
	line = replaceSurrogates(line)
	var members []member
	i := skipWhiteSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return Object{}
	}
	for {
		m, end := recoverMember(line, skipWhiteSpace(line, i+1))
		if m.value != nil {
			members = append(members, m)
		}
		if end < 0 {
			break
		}
		i = skipWhiteSpace(line, end)
		if i == len(line) || line[i] != ',' {
			break
		}
	}
	return Object{members, ObjectOptions{LastDuplicateWins: true}}
}

// recoverMember reads the member that begins at start. The value is nil if there is no member, and
// end is negative if the end of the member is not found.
func recoverMember(line []byte, start int) (m member, end int) {
	if start == len(line) || line[start] != '"' {
		return m, -1
	}
	end = stringEnd(line, start) + 1
	if end > len(line) {
		return m, -1
	}
	m.name, _ = jsontext.AppendUnquote(nil, line[start:end]) // of invalid UTF-8: U+FFFD
	start = skipWhiteSpace(line, end)
	if start == len(line) || line[start] != ':' {
		return m, -1
	}
	start = skipWhiteSpace(line, start+1)
	m.value = jsontext.Value{}
	if end = valueEnd(line, start); end < 0 {
		return m, -1
	}
	if value := jsontext.Value(line[start:end:end]); value.Kind() != jsontext.KindBeginObject &&
		value.Kind() != jsontext.KindBeginArray && value.IsValid() {
		m.value = value
	}
	return m, end
}

// valueEnd returns the end of the value that begins at start, or -1 if text ends before it. That
// includes a number at the end of text, which may be incomplete.
func valueEnd(text []byte, start int) int {
	depth := 0
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i); i >= len(text) {
				return -1
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i // the end of the object that contains the scalar
			}
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

func skipWhiteSpace(text []byte, start int) int {
	return len(text) - len(bytes.TrimLeft(text[start:], whiteSpace+"\n"))
}
