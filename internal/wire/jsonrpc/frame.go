package jsonrpc

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// A Kind is the kind of a frame.
type Kind uint8

// The kinds of frames.
const (
	Request      Kind = iota + 1 // has a method and an id, and gets one response
	Notification                 // has a method, and gets no response
	Response                     // to a request of Parley
)

// A Frame is one parsed line. Its values refer to the line and are valid as long as that is.
type Frame struct {
	Kind   Kind
	ID     ID     // of a request or response; a response with an error may have Null
	Method string // of a request or notification

	Params jsontext.Value // of any JSON type; nil if missing or null
	Result jsontext.Value // of a response; nil if it has an Error
	Error  *Error         // of a response; nil if it has a Result
}

// An InvalidKind is the kind of mistake because of which a line is no frame.
type InvalidKind uint8

// The kinds of mistakes, in the order of the checks.
const (
	NotJSON     InvalidKind = iota + 1 // or too deeply nested, or with repeated names if those are rejected
	Batch                              // an array
	NotObject                          // any other JSON value
	BadVersion                         // "jsonrpc" is not "2.0", with Options.Version
	BadID                              // an id of a type that is not allowed
	BadMethod                          // a method that is not a string, or blank with Options.NonBlankMethod
	NotAMessage                        // neither request nor notification nor response
)

// An Invalid describes why a line is no frame. The dialect writes the text of the error.
type Invalid struct {
	Kind   InvalidKind
	ID     ID     // for the response: that of the frame if it can be read and is valid, else Null
	Detail string // with NotJSON, what is wrong, fit for the wire; otherwise empty
}

// Parse parses a line. It only classifies the frame: it looks up no method, and params may be of
// any type. A frame with a method is never a response, whatever its other members are.
//
// A response whose error has the id null reports a line of Parley that the client could not
// parse. It is a Response; otherwise two programs would answer each other's errors for ever.
func Parse(line []byte, o Options) (Frame, *Invalid) {
	obj, err := wire.ParseObject(line, o.Object)
	if err != nil {
		return Frame{}, invalidLine(line, err, o)
	}
	var f Frame
	id, hasID := obj.Get("id")
	goodID := false
	if hasID {
		f.ID, goodID = parseID(id, o)
	}
	method, hasMethod := obj.Get("method")
	switch {
	case o.Version && !hasVersion(obj):
		return Frame{}, f.invalid(BadVersion, goodID, o)
	case hasMethod:
		return parseRequest(f, obj, method, hasID, goodID, o)
	case o.OneWay || !hasID:
		return Frame{}, f.invalid(NotAMessage, goodID, o)
	}
	return parseResponse(f, obj, id, goodID, o)
}

func parseRequest(f Frame, obj wire.Object, method jsontext.Value, hasID, goodID bool, o Options) (Frame, *Invalid) {
	if hasID && !goodID {
		return Frame{}, f.invalid(BadID, false, o)
	}
	name, isText := stringValue(method)
	if !isText || o.NonBlankMethod && strings.TrimSpace(name) == "" {
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

func parseResponse(f Frame, obj wire.Object, id jsontext.Value, goodID bool, o Options) (Frame, *Invalid) {
	failure, failed := obj.Get("error")
	result, succeeded := obj.Get("result")
	switch {
	case !goodID && failed && id.Kind() == jsontext.KindNull:
		f.ID = Null
	case !goodID:
		return Frame{}, f.invalid(BadID, false, o)
	case !failed && !succeeded:
		return Frame{}, f.invalid(NotAMessage, true, o)
	}
	f.Kind = Response
	if failed {
		f.Error = parseError(failure)
	} else {
		f.Result = result
	}
	return f, nil
}

func (f Frame) invalid(flaw InvalidKind, goodID bool, o Options) *Invalid {
	if !goodID || o.NullErrorID {
		return &Invalid{Kind: flaw, ID: Null}
	}
	return &Invalid{Kind: flaw, ID: f.ID}
}

// invalidLine classifies a line that ParseObject rejected.
func invalidLine(line []byte, err error, o Options) *Invalid {
	switch {
	case !errors.Is(err, wire.ErrNotObject):
		return &Invalid{Kind: NotJSON, ID: RecoverID(line, o), Detail: err.Error()}
	case jsontext.Value(line).Kind() == jsontext.KindBeginArray:
		return &Invalid{Kind: Batch, ID: Null}
	}
	return &Invalid{Kind: NotObject, ID: Null}
}

// RecoverID returns the id for the response to a line that is not valid JSON, or of which only the
// beginning is known: that of the request if it can be read, else Null. The id of a response is
// one of Parley's own, which is never used.
func RecoverID(line []byte, o Options) ID {
	obj := wire.RecoverObject(line)
	if _, isRequest := obj.Get("method"); !isRequest {
		for _, name := range []string{"result", "error"} {
			if _, isResponse := obj.Get(name); isResponse {
				return Null
			}
		}
	}
	value, _ := obj.Get("id")
	if id, ok := parseID(value, o); ok {
		return id
	}
	return Null
}

func hasVersion(obj wire.Object) bool {
	version, _ := obj.Get("jsonrpc")
	name, isText := stringValue(version)
	return isText && name == "2.0"
}

// stringValue returns the text of a checked value, if it is a string.
func stringValue(value jsontext.Value) (string, bool) {
	if value.Kind() != jsontext.KindString {
		return "", false
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1]), true
	}
	unquoted, _ := jsontext.AppendUnquote(nil, []byte(value)) // cannot fail: the line was checked
	return string(unquoted), true
}
