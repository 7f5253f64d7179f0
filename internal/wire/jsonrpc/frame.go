package jsonrpc

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// A Kind is what a frame is for.
type Kind uint8

// The kinds of frames.
const (
	Request      Kind = iota + 1 // has a method and an id, and is answered once
	Notification                 // has a method, and is never answered
	Response                     // answers a request of ours
)

// A Frame is one line, opened. Its values refer to the line and are valid as long as that is.
type Frame struct {
	Kind   Kind
	ID     ID     // of a request or response; a response with an error may have Null
	Method string // of a request or notification

	Params jsontext.Value // of any JSON type; nil if missing or null
	Result jsontext.Value // of a response; nil if it has an Error
	Error  *Error         // of a response; nil if it has a Result
}

// A Flaw is the kind of mistake that makes a line no frame.
type Flaw uint8

// The flaws, in the order in which they are looked for.
const (
	NotJSON    Flaw = iota + 1 // or deeper than allowed, or with repeated names where those are refused
	Batch                      // an array
	NotObject                  // any other JSON value
	BadVersion                 // "jsonrpc" is not "2.0", where it has to be
	BadID                      // an id of a type that is none
	BadMethod                  // a method that is not a string, or blank where that matters
	Shapeless                  // neither request nor notification nor response
)

// An Invalid says why a line is no frame. Its words are the dialect's.
type Invalid struct {
	Flaw   Flaw
	ID     ID     // whom to answer: the frame's id if it has a valid one, else Null
	Detail string // of NotJSON, what is wrong, fit for the wire; empty otherwise
}

// Parse opens a line. The frame is no more than classified: no method is looked up, and
// params may be of any type. A frame with a method is never a response, whatever else it has.
//
// A response whose error has the id null reports a line of ours that the client could not
// read; it is a Response, or two programs would answer each other's complaints for ever.
func Parse(line []byte, o Options) (Frame, *Invalid) {
	obj, err := wire.ParseObject(line, o.Object)
	if err != nil {
		return Frame{}, notObject(line, err)
	}
	var f Frame
	id, hasID := obj.Get("id")
	goodID := false
	if hasID {
		f.ID, goodID = idOf(id, o)
	}
	method, hasMethod := obj.Get("method")
	switch {
	case o.Version && !hasVersion(obj):
		return Frame{}, f.invalid(BadVersion, goodID, o)
	case hasMethod:
		return request(f, obj, method, hasID, goodID, o)
	case o.OneWay || !hasID:
		return Frame{}, f.invalid(Shapeless, goodID, o)
	}
	return response(f, obj, id, goodID, o)
}

func request(f Frame, obj wire.Object, method jsontext.Value, hasID, goodID bool, o Options) (Frame, *Invalid) {
	if hasID && !goodID {
		return Frame{}, f.invalid(BadID, false, o)
	}
	name, isText := text(method)
	if !isText || o.Named && strings.TrimSpace(name) == "" {
		return Frame{}, f.invalid(BadMethod, goodID, o)
	}
	f.Kind, f.Method = Notification, name
	if hasID {
		f.Kind = Request
	}
	if params, ok := obj.Get("params"); ok && params.Kind() != jsontext.KindNull {
		f.Params = params
	}
	return f, nil
}

func response(f Frame, obj wire.Object, id jsontext.Value, goodID bool, o Options) (Frame, *Invalid) {
	failure, failed := obj.Get("error")
	result, succeeded := obj.Get("result")
	switch {
	case !goodID && failed && id.Kind() == jsontext.KindNull:
		f.ID = Null
	case !goodID:
		return Frame{}, f.invalid(BadID, false, o)
	case !failed && !succeeded:
		return Frame{}, f.invalid(Shapeless, true, o)
	}
	f.Kind = Response
	if failed {
		f.Error = errorOf(failure)
	} else {
		f.Result = result
	}
	return f, nil
}

func (f Frame) invalid(flaw Flaw, goodID bool, o Options) *Invalid {
	if !goodID || o.Anonymous {
		return &Invalid{Flaw: flaw, ID: Null}
	}
	return &Invalid{Flaw: flaw, ID: f.ID}
}

// notObject explains a line that ParseObject refused.
func notObject(line []byte, err error) *Invalid {
	switch {
	case !errors.Is(err, wire.ErrNotObject):
		return &Invalid{Flaw: NotJSON, ID: Null, Detail: err.Error()}
	case jsontext.Value(line).Kind() == jsontext.KindBeginArray:
		return &Invalid{Flaw: Batch, ID: Null}
	}
	return &Invalid{Flaw: NotObject, ID: Null}
}

func hasVersion(obj wire.Object) bool {
	version, _ := obj.Get("jsonrpc")
	name, isText := text(version)
	return isText && name == "2.0"
}

// text is the string that a checked value spells.
func text(value jsontext.Value) (string, bool) {
	if value.Kind() != jsontext.KindString {
		return "", false
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1]), true
	}
	unquoted, _ := jsontext.AppendUnquote(nil, []byte(value)) // cannot fail: the line was checked
	return string(unquoted), true
}
