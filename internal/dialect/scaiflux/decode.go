package scaiflux

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire"
)

// inbound is how each type of message is read.
var inbound = lazy.Value[map[string]func(wire.Object) (any, error)]{New: func() map[string]func(wire.Object) (any, error) {
	return map[string]func(wire.Object) (any, error){
		"prompt":              read[Prompt],
		"slash":               read[Slash],
		"interrupt":           read[Interrupt],
		"permission_response": read[PermissionResponse],
		"shutdown":            read[Shutdown],
	}
}}

func read[M any](obj wire.Object) (any, error) {
	var m M
	err := obj.Decode(&m)
	return m, err
}

// decode reads one line. A refused line gives the one Error that answers it, and changes
// nothing. The order of the checks is fixed: JSON, object, type, fields, meaning.
func decode(line []byte) (message any, refused *Error) {
	obj, err := wire.ParseObject(line, wire.ObjectOptions{LastDuplicateWins: true})
	if err != nil {
		return nil, refuse("invalid_json", err.Error())
	}
	name, refused := typeOf(obj)
	if refused != nil {
		return nil, refused
	}
	read, known := inbound.Get()[name]
	if !known {
		return nil, refuse("unknown_type", fmt.Sprintf("unknown message type %q", excerpt(name)))
	}
	message, err = read(obj)
	if err != nil {
		if field, ok := errors.AsType[*wire.FieldError](err); ok {
			return nil, refuse("invalid_message", name+"."+field.Error())
		}
		return nil, refuse("invalid_message", name+": "+err.Error())
	}
	if p, ok := message.(Prompt); ok && strings.TrimSpace(p.Text) == "" {
		return nil, refuse("invalid_message", "prompt.text: must not be blank")
	}
	return message, nil
}

func typeOf(obj wire.Object) (string, *Error) {
	raw, ok := obj.Get("type")
	if !ok {
		return "", refuse("unknown_type", `the message has no "type"`)
	}
	var name string
	if raw.Kind() != '"' || json.Unmarshal(raw, &name) != nil {
		return "", refuse("unknown_type", `"type" is not a string`)
	}
	return name, nil
}

// refuse returns the answer to a line that changed nothing.
func refuse(code, message string) *Error {
	return &Error{Type: "error", Code: code, Message: message, Origin: "local"}
}
