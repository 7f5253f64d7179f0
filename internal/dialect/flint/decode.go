package flint

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// frames is how this protocol does JSON-RPC, in and out.
var frames = jsonrpc.Options{Object: wire.ObjectOptions{LastDuplicateWins: true, Open: true, NullIsAbsent: true}}

// What a line can be.
type (
	// A request waits for one answer with its id.
	request struct {
		id     jsonrpc.ID
		method string
		params any // a pointer to the params of one of the methods below: *ThreadStartParams …
	}

	// A notification asks for nothing. There is none that has to be acted on.
	notification struct{ method string }

	// A response answers a request of ours, or one that was never made.
	response struct {
		id     jsonrpc.ID
		result jsontext.Value // nil if there is an err; refers to the line
		err    *jsonrpc.Error
	}

	// A refusal is the error that answers a line which changes nothing.
	refusal struct {
		id     jsonrpc.ID
		method string // of a request; empty for a line that is none
		err    *jsonrpc.Error
	}
)

// methods is what a client can ask, in the order of the document.
var methods = lazy.Value[jsonrpc.Methods]{New: func() jsonrpc.Methods {
	return jsonrpc.NewMethods(
		jsonrpc.Method{Name: "initialize", Read: jsonrpc.Read(checkInitialize)},
		jsonrpc.Method{Name: "thread/start", Read: jsonrpc.Read(checkThreadStart)},
		jsonrpc.Method{Name: "thread/resume", Read: jsonrpc.Read(checkThreadResume)},
		jsonrpc.Method{Name: "thread/list", Read: jsonrpc.Read(checkThreadList)},
		jsonrpc.Method{Name: "thread/archive", Read: jsonrpc.Read(checkThreadArchive)},
		jsonrpc.Method{Name: "turn/start", Read: jsonrpc.Read(checkTurnStart)},
		jsonrpc.Method{Name: "turn/interrupt", Read: jsonrpc.Read(checkTurnInterrupt)},
		jsonrpc.Method{Name: "model/list", Read: jsonrpc.Read(checkModelList)},
		jsonrpc.Method{Name: "config/list", Read: jsonrpc.Read[ConfigListParams]()},
		jsonrpc.Method{Name: "config/set", Read: jsonrpc.Read[ConfigSetParams]()},
		jsonrpc.Method{Name: "config/read", Read: jsonrpc.Read[ConfigReadParams]()},
	)
}}

// decode reads one line: a request, a notification or a response, or the refusal that
// answers the line. It looks at everything that can be judged without knowing a thread, a
// model or a file; members are settled afterwards: aliases have moved to the document's own
// member, texts that are trimmed are, sandboxes and policies have their canonical form.
//
// It does not know whether the connection is initialized. The caller, which does, replaces the
// refusal of a request (its method is not empty) as well as the request itself.
func decode(line []byte) (message any, refused *refusal) {
	f, invalid := jsonrpc.Parse(line, frames)
	if invalid != nil {
		return nil, refuseLine(invalid)
	}
	switch f.Kind {
	case jsonrpc.Notification:
		return notification{f.Method}, nil
	case jsonrpc.Response:
		return response{f.ID, f.Result, f.Error}, nil
	}
	params, err := methods.Get().Params(f, frames)
	if err != nil {
		return nil, &refusal{f.ID, f.Method, paramsError(f.Method, err)}
	}
	return request{f.ID, f.Method, params}, nil
}

// refuseLine returns the answer to a line that is no frame.
func refuseLine(invalid *jsonrpc.Invalid) *refusal {
	e := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request"}
	switch invalid.Kind {
	case jsonrpc.NotJSON:
		e.Code, e.Message = jsonrpc.CodeParseError, "Parse error"
	case jsonrpc.Batch:
		e.Message = "Batch requests are not supported"
	}
	return &refusal{id: invalid.ID, err: e}
}

// refuseLong returns the answer to a line over the limit that begins like this.
func refuseLong(beginning []byte) *refusal {
	return &refusal{id: jsonrpc.RecoverID(beginning, frames), err: &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Message too large"}}
}

// paramsError returns the answer to a request whose method or params are wrong.
func paramsError(method string, err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	if field, ok := errors.AsType[*wire.FieldError](err); ok {
		return invalidParams(fieldProblem(field))
	}
	switch {
	case errors.Is(err, jsonrpc.ErrNoMethod):
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found: " + abridged(method)}
	case errors.Is(err, jsonrpc.ErrNotObject):
		return invalidParams("params must be an object")
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
}

func invalidParams(problem string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params: " + problem}
}

// fieldProblem returns which member is wrong and why, as half a sentence.
func fieldProblem(e *wire.FieldError) string {
	switch {
	case e.Missing:
		return e.Field + " is required"
	case e.Expected != "":
		return e.Field + " must be " + e.Expected
	}
	return e.Field + " " + e.Problem
}

// threadNotFound returns the answer to an id that no thread has.
func threadNotFound(id string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: CodeThreadNotFound, Message: "Thread not found: " + abridged(id)}
}

// decision reads the answer to an approval. It is not ok if the client answered with an
// error, or with anything but one of the decisions.
func (r response) decision() (d Decision, ok bool) {
	obj, err := wire.OpenObject(r.result, frames.Object) // no result is no object
	if err != nil {
		return "", false
	}
	var answer ApprovalResponse
	if err := obj.Decode(&answer); err != nil {
		return "", false
	}
	return answer.Decision, true
}

// abridged returns a text of the client's as an error may repeat it.
func abridged(text string) string { return dialect.Abridged(text, 200) }

// problem returns the error about a member, worded to follow its name.
func problem(member, what string) error {
	return &wire.FieldError{Field: member, Problem: what}
}
