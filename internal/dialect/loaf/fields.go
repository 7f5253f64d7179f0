package loaf

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// fields reads the members of one request's params. Once a member is wrong the rest is
// read for nothing.
type fields struct {
	method string
	obj    wire.Object
	err    *jsonrpc.Error // about the first member that is wrong
}

// fail keeps the first error.
func (f *fields) fail(e *jsonrpc.Error) {
	if f.err == nil {
		f.err = e
	}
}

// wrong says what the member has to be.
func (f *fields) wrong(name, wanted string) {
	message := "invalid params for " + f.method + ": `" + name + "` must be " + wanted
	f.fail(failure(jsonrpc.CodeInvalidParams, message, ErrorData{Reason: ReasonInvalidParams, Field: name}))
}

// get returns a member that is there and not null.
func (f *fields) get(name string) (jsontext.Value, bool) {
	value, ok := f.obj.Get(name)
	return value, ok && value.Kind() != jsontext.KindNull
}

// required returns a text that has to be there, and may not be blank.
func (f *fields) required(name string) string {
	value, _ := f.get(name)
	text, _ := trimmedText(value)
	if text == "" {
		f.wrong(name, "a non-empty string")
	}
	return text
}

// text returns a text that may be absent.
func (f *fields) text(name string) string {
	value, given := f.get(name)
	text, isText := trimmedText(value)
	if given && !isText {
		f.wrong(name, "a string")
	}
	return text
}

// trimmedText returns a text, trimmed.
func trimmedText(value jsontext.Value) (text string, isText bool) {
	if value.Kind() != jsontext.KindString {
		return "", false
	}
	_ = wire.DecodeValue(value, &text, frames.Object) // it is a string
	return strings.TrimFunc(text, isBlank), true
}

// choice returns true, false or, absent, nil.
func (f *fields) choice(name string) *bool {
	value, given := f.get(name)
	if !given {
		return nil
	}
	kind := value.Kind()
	if kind != jsontext.KindTrue && kind != jsontext.KindFalse {
		f.wrong(name, "a boolean")
	}
	return new(kind == jsontext.KindTrue)
}

// flag returns the value of a flag; false if it is absent.
func (f *fields) flag(name string) bool {
	choice := f.choice(name)
	return choice != nil && *choice
}

// demanded returns the value of a required flag.
func (f *fields) demanded(name string) bool {
	choice := f.choice(name)
	if choice == nil {
		f.wrong(name, "a boolean")
		return false
	}
	return *choice
}

// number is 0 if it is absent.
func (f *fields) number(name string) float64 {
	value, given := f.get(name)
	if !given {
		return 0
	}
	if value.Kind() != jsontext.KindNumber {
		f.wrong(name, "a finite number")
		return 0
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil { // it is too large for one
		f.wrong(name, "a finite number")
	}
	return n
}

// oneOf returns one of these words, or "" if it is absent.
func oneOf[S ~string](f *fields, name, wanted string, words ...S) S {
	word := S(f.text(name))
	if word != "" && !slices.Contains(words, word) {
		f.wrong(name, wanted)
	}
	return word
}

// provider returns a provider by its name, if it is not empty.
func (f *fields) provider(name, message string) Provider {
	p := Provider(name)
	if name != "" && !slices.Contains(knownProviders, p) {
		f.fail(failure(jsonrpc.CodeInvalidParams, message, ErrorData{Reason: ReasonInvalidParams, Field: "provider"}))
	}
	return p
}

// knownProviders are all there are, in the order in which models are listed.
var knownProviders = []Provider{ProviderOpenAI, ProviderAntigravity, ProviderOpenRouter}
