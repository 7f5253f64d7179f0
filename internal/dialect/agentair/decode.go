package agentair

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire"
)

// requests is how the value of each request is read.
var requests = lazy.Value[map[string]func(*fields) any]{New: func() map[string]func(*fields) any {
	return map[string]func(*fields) any{
		"PermissionResponse":      func(f *fields) any { return f.permissionResponse() },
		"BatchPermissionResponse": func(f *fields) any { return f.batchPermissionResponse() },
		"UserInteractionResponse": func(f *fields) any { return f.userInteractionResponse() },
		"CancelPermission":        func(f *fields) any { return CancelPermission{f.text("tool_use_id")} },
		"CancelBatchPermission":   func(f *fields) any { return CancelBatchPermission{f.text("batch_id")} },
		"CancelUserInteraction":   func(f *fields) any { return CancelUserInteraction{f.text("tool_use_id")} },
		"Interrupt":               func(f *fields) any { return Interrupt{f.sessionID()} },
		"Clear":                   func(f *fields) any { return Clear{f.sessionID()} },
		"Compact":                 func(f *fields) any { return Compact{f.sessionID()} },
		"Shutdown":                func(*fields) any { return Shutdown{} },
		"CreateSession": func(f *fields) any {
			return CreateSession{f.optionalText("model"), f.optionalText("system_prompt"), f.optionalText("working_dir")}
		},
		"RemoveSession": func(f *fields) any { return RemoveSession{f.sessionID()} },
	}
}}

// decode reads one line. The message is one of the structs of protocol_input.go, by value:
//
//	ControllerInput
//	PermissionResponse, BatchPermissionResponse, UserInteractionResponse
//	CancelPermission, CancelBatchPermission, CancelUserInteraction
//	Interrupt, Clear, Compact, Shutdown, CreateSession, RemoveSession
//
// A control payload is the Interrupt, Clear, Compact or Shutdown that it asks for. A refused
// line gives the one Error that answers it, and changes nothing. What depends on a session is
// not looked at: whether there is one, whether the turn id is new and of the User, whether
// the content is blank, whether anything waits for the answer.
func decode(line []byte) (message any, refused *Error) {
	if string(bytes.Trim(line, " \t\r\n")) == `"Shutdown"` {
		return Shutdown{}, nil
	}
	obj, err := wire.ParseObject(line, wire.ObjectOptions{})
	if err != nil {
		return nil, malformed(sessionDespite(line, err), err)
	}
	if name, value, ok := tagged(obj); ok {
		message, err = decodeRequest(name, value)
	} else {
		message, err = decodePayload(obj)
	}
	if err != nil {
		return nil, malformed(sessionOf(obj), err)
	}
	return message, nil
}

// tagged reports whether the object is a request: one member, with a capital.
func tagged(obj wire.Object) (name string, value jsontext.Value, ok bool) {
	names := obj.Names()
	if len(names) != 1 || names[0] == "" || names[0][0] < 'A' || names[0][0] > 'Z' {
		return "", nil, false
	}
	value, ok = obj.Get(names[0])
	return names[0], value, ok
}

func decodeRequest(name string, value jsontext.Value) (any, error) {
	read, known := requests.Get()[name]
	switch {
	case !known:
		return nil, fmt.Errorf("unknown request `%s`", abridged(name))
	case name == "Shutdown" && value.Kind() == jsontext.KindNull:
		return Shutdown{}, nil
	}
	f, err := open(value, "struct "+name)
	if err != nil {
		return nil, err
	}
	message := read(f)
	return message, f.problem()
}

// decodePayload reads a line that is not a request.
func decodePayload(obj wire.Object) (any, error) {
	f := &fields{obj: obj}
	if kind := option(f, "input_type", word("Data", "Control")); kind != nil && *kind == "Control" {
		return f.control()
	}
	message := ControllerInput{SessionID: f.sessionID(), Content: f.text("content"), TurnID: required(f, "turn_id", turnID)}
	if metadata := option(f, "metadata", object); metadata != nil {
		message.Metadata = *metadata
	}
	return message, f.problem()
}

// control reads a command in the form of a message. Its content is ignored.
func (f *fields) control() (message any, err error) {
	session := f.sessionID()
	option(f, "turn_id", turnID)
	switch required(f, "control_cmd", word("Interrupt", "Shutdown", "Clear", "Compact")) {
	case "Interrupt":
		message = Interrupt{session}
	case "Shutdown":
		message = Shutdown{}
	case "Clear":
		message = Clear{session}
	case "Compact":
		message = Compact{session}
	}
	return message, f.problem()
}

func turnID(value jsontext.Value) (id TurnID, err error) {
	f, err := open(value, "struct TurnId")
	if err != nil {
		return id, err
	}
	id.Role = required(f, "role", word(RoleUser, RoleAssistant))
	id.Sequence = required(f, "sequence", unsigned)
	return id, f.problem()
}

// malformed returns the answer to a line that changed nothing.
func malformed(session *int64, err error) *Error {
	return &Error{Message: "Malformed input: " + err.Error(), SessionID: session}
}

// malformedLong returns the answer to a line over the limit.
func malformedLong() *Error { return malformed(nil, wire.ErrLineTooLong) }

// sessionOf returns the session that a refused line names, for its Error; nil if none can be
// read.
func sessionOf(obj wire.Object) *int64 {
	value, ok := obj.Get("session_id")
	if !ok {
		return nil
	}
	id, err := signed(value)
	if err != nil {
		return nil
	}
	return &id
}

// sessionDespite is sessionOf for a line whose only fault is that a name stands in it twice. Of
// a line that is not JSON the document wants no session.
func sessionDespite(line []byte, err error) *int64 {
	if _, isSyntax := errors.AsType[*wire.SyntaxError](err); !isSyntax {
		return nil
	}
	obj, err := wire.ParseObject(line, wire.ObjectOptions{LastDuplicateWins: true})
	if err != nil {
		return nil
	}
	return sessionOf(obj)
}
