package offline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// maxRepeat limits repeat, so that a typing error is an error and not a full disk.
const maxRepeat = 10_000_000

// verbs parse the lines of answers by their first word; call and expect need the parser's state.
var verbs = lazy.Value[map[string]func(rest string) (step, error)]{New: func() map[string]func(rest string) (step, error) {
	return map[string]func(rest string) (step, error){
		"text":    func(rest string) (step, error) { return readPiece("text", rest) },
		"think":   func(rest string) (step, error) { return readPiece("think", rest) },
		"summary": func(rest string) (step, error) { return readPiece("summary", rest) },
		"repeat":  readRepeat,
		"wait":    readWait,
		"hang":    readHang,
		"fail":    readFail,
	}
}}

// deltaVerbs are the deltas of the verbs for pieces, without their text.
var deltaVerbs = lazy.Value[map[string]model.Delta]{New: func() map[string]model.Delta {
	return map[string]model.Delta{
		"text":    {Kind: model.TextDelta},
		"think":   {Kind: model.ThinkingDelta},
		"summary": {Kind: model.ThinkingDelta, Summary: true},
	}
}}

// readPiece parses the lines of text, think and summary.
func readPiece(word, rest string) (step, error) {
	text, err := unquote(rest)
	if err != nil {
		return nil, err
	}
	piece := deltaVerbs.Get()[word]
	piece.Text = text
	return func(s *speech) error { return s.piece(piece) }, nil
}

// unquote returns rest as it stands, or what it means if it is a Go string in double quotes.
func unquote(rest string) (string, error) {
	if rest == "" {
		return "", errors.New(`nothing to say; "" says nothing on purpose`)
	}
	if rest[0] != '"' {
		return rest, nil
	}
	text, err := strconv.Unquote(strings.TrimRight(rest, " \t"))
	if err != nil {
		return "", errors.New("a text that begins with a quote must be one Go string")
	}
	if !utf8.ValidString(text) {
		return "", errors.New("the string is not valid UTF-8")
	}
	return text, nil
}

func readRepeat(rest string) (step, error) {
	count, what, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > maxRepeat {
		return nil, fmt.Errorf("%q is not a number from 1 to %d", count, maxRepeat)
	}
	word, said, _ := strings.Cut(what, " ")
	if _, ok := deltaVerbs.Get()[word]; !ok {
		return nil, fmt.Errorf("%q is none of text, think, summary", word)
	}
	one, err := readPiece(word, said)
	if err != nil {
		return nil, err
	}
	return func(s *speech) error {
		for range n {
			if err := one(s); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

func readWait(rest string) (step, error) {
	d, err := time.ParseDuration(strings.TrimSpace(rest))
	if err != nil || d < 0 {
		return nil, fmt.Errorf("%q is not a duration such as 50ms", rest)
	}
	return func(s *speech) error { return s.wait(d) }, nil
}

func readHang(rest string) (step, error) {
	if rest != "" {
		return nil, errors.New("it stands alone")
	}
	return (*speech).hang, nil
}

// readCall reads NAME and the input: a JSON object, nothing for {}, or, for a model that
// does not write JSON, a Go string.
func readCall(id, rest string) (step, error) {
	name, input, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if name == "" {
		return nil, errors.New("no tool is named")
	}
	input = strings.TrimSpace(input)
	switch {
	case input == "":
		input = "{}"
	case input[0] == '"':
		raw, err := unquote(input)
		if err != nil {
			return nil, err
		}
		input = raw
	case input[0] != '{' || !jsontext.Value(input).IsValid():
		return nil, errors.New("the input is not a JSON object")
	}
	return func(s *speech) error { return s.call(id, name, input) }, nil
}

// failures is the kinds that fail knows.
var failures = []model.ErrorKind{
	model.NotConfigured, model.Auth, model.RateLimited, model.Quota, model.Rejected, model.ModelNotFound,
	model.ContextTooLong, model.Overloaded, model.Unreachable, model.BrokenStream,
}

func readFail(rest string) (step, error) {
	kind, rest, _ := strings.Cut(rest, " ")
	if !slices.Contains(failures, model.ErrorKind(kind)) {
		return nil, fmt.Errorf("%q is none of %v", kind, failures)
	}
	e := model.Error{Kind: model.ErrorKind(kind), Provider: Name}
	for {
		field, more, _ := strings.Cut(rest, " ")
		known, err := setFailure(&e, field)
		if err != nil {
			return nil, err
		}
		if !known {
			break
		}
		rest = more
	}
	if e.Message = rest; rest == "" {
		e.Message = "the offline script fails here"
	}
	return func(*speech) error { fresh := e; return &fresh }, nil
}

// setFailure takes field as a setting of e, and reports whether it was one.
func setFailure(e *model.Error, field string) (known bool, err error) {
	key, value, ok := strings.Cut(field, "=")
	if !ok {
		return false, nil
	}
	switch key {
	case "status":
		e.Status, err = strconv.Atoi(value)
	case "code":
		e.Code = value
	case "moderated":
		e.Moderated, err = strconv.ParseBool(value)
	case "after":
		e.RetryAfter, err = time.ParseDuration(value)
	default:
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("%s: %q cannot be read", key, value)
	}
	return true, nil
}
