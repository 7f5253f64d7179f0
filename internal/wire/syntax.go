package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotObject reports that a line is valid JSON, but not an object.
var ErrNotObject = errors.New("expected a JSON object")

// A SyntaxError reports why a line is not valid JSON.
type SyntaxError struct {
	Problem string // a short sentence, fit for the wire
}

// Error returns the problem.
func (e *SyntaxError) Error() string { return e.Problem }

const (
	problemIncomplete = "line is not a complete JSON object"
	problemTrailing   = "text follows the JSON value"
	problemUTF8       = "line is not valid UTF-8"
	problemControl    = "string holds a raw control character"
)

// syntaxError returns the error for a line that the JSON decoder rejected with err. It uses only
// the position of err, whose text may change with the library.
func syntaxError(line []byte, err error) *SyntaxError {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !utf8.Valid(line):
		return &SyntaxError{problemUTF8}
	case !ok || errors.Is(err, io.ErrUnexpectedEOF):
		return &SyntaxError{problemIncomplete}
	case errors.Is(err, jsontext.ErrDuplicateName):
		name := syntactic.JSONPointer.LastToken()
		return &SyntaxError{fmt.Sprintf("name %q occurs twice", clipName(name))}
	}
	at := min(syntactic.ByteOffset, int64(len(line)))
	if rest := line[at:]; len(rest) > 0 && rest[0] < ' ' {
		return &SyntaxError{problemControl}
	}
	return &SyntaxError{fmt.Sprintf("invalid JSON at byte %d", at+1)}
}

// trailingError returns the error for a line with text after a complete value.
func trailingError(line []byte) *SyntaxError {
	if !utf8.Valid(line) {
		return &SyntaxError{problemUTF8}
	}
	return &SyntaxError{problemTrailing}
}

// deeperThan reports whether arrays and objects nest more than limit levels deep in text. It is
// exact up to the first syntax error, where the decoder stops too, and does not recurse.
func deeperThan(text []byte, limit int) bool {
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) <= limit {
		return false
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
		case '{', '[':
			if depth++; depth > limit {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// stringEnd returns the index of the quote that closes the string opened at start, or the length
// of text if there is none.
func stringEnd(text []byte, start int) int {
	i := start + 1
	for ; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// clipName returns a name of the client's as an error text may repeat it: never longer than 64 bytes.
func clipName(name string) string {
	const most = 64
	if len(name) <= most {
		return name
	}
	end := most
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}
