package native

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// The error codes of this protocol, besides those of JSON-RPC.
const (
	CodeProtocol       = -32001 // no common version
	CodeNotInitialized = -32002
	CodeNoSession      = -32003
	CodeForbidden      = -32004
	CodeBusy           = -32005
	CodeIdle           = -32006
	CodeAnswered       = -32007 // or no such approval or question
	CodeBudget         = -32008
	CodeUnsaved        = -32009
	CodeDamaged        = -32010
	CodeStale          = -32011
	CodeInUse          = -32012
	CodeNoModel        = -32013
	CodeTooLarge       = -32014
	CodeUnreachable    = -32015 // on another host that cannot be reached, or that does not have the folder; or in a store that does not answer
)

// ErrorData is the data of an error. Kind is a stable word for programs; the others are there where the code says so.
type ErrorData struct {
	Kind      string `json:"kind"`
	Member    string `json:"member,omitzero"`    // of params, which is wrong
	Role      Role   `json:"role,omitzero"`      // that is needed
	Supported []int  `json:"supported,omitzero"` // versions of the protocol
	By        int    `json:"by,omitzero"`        // number of the client that answered
	Allowed   *bool  `json:"allowed,omitzero"`   // of an approval: how it was answered
	Changed   uint64 `json:"changed,omitzero"`   // State.changed as it is
	Offset    int64  `json:"offset,omitzero"`    // of the damage, in bytes
	Owner     string `json:"owner,omitzero"`     // the process that has the session
	RetryMS   int64  `json:"retry_ms,omitzero"`  // of a limit: when to try again
	Path      string `json:"path,omitzero"`      // of the file
	Outcome   string `json:"outcome,omitzero"`   // unknown: it may have been done
	Host      string `json:"host,omitzero"`      // of the owner, where several machines share the store
}

// failure returns an error.
func failure(code int, message string, data ErrorData) *jsonrpc.Error {
	value, _ := json.Marshal(data) // of valid strings: cannot fail
	return &jsonrpc.Error{Code: code, Message: message, Data: jsontext.Value(value)}
}

func invalidMember(member, problem string) *jsonrpc.Error {
	return failure(jsonrpc.CodeInvalidParams, member+" "+problem, ErrorData{Kind: "invalid_params", Member: member})
}

func noSession(id string) *jsonrpc.Error {
	return failure(CodeNoSession, "there is no session "+abridged(id), ErrorData{Kind: "no_session"})
}

// wireError returns the answer to a request that is well-formed and cannot be done.
func wireError(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*engine.AnsweredError](err); ok {
		data := ErrorData{Kind: "answered", By: e.Client.N}
		if errors.Is(err, engine.ErrNoApproval) {
			data.Allowed = &e.Allowed
		}
		return failure(CodeAnswered, e.Error(), data)
	}
	if e, ok := errors.AsType[*engine.LockedError](err); ok {
		return failure(CodeInUse, e.Error(), lockedData(e))
	}
	if errors.Is(err, engine.ErrOutcomeUnknown) {
		return failure(CodeUnsaved, err.Error(), ErrorData{Kind: "unsaved", Outcome: "unknown"})
	}
	if e, ok := errors.AsType[*engine.DamageError](err); ok {
		return failure(CodeDamaged, e.Error(), ErrorData{Kind: "damaged", Offset: e.Offset})
	}
	if e, ok := errors.AsType[*engine.ConflictError](err); ok {
		return failure(jsonrpc.CodeInvalidParams, e.Error(), ErrorData{Kind: "conflict", Path: e.Path})
	}
	if e, ok := errors.AsType[*engine.UnrestorableError](err); ok {
		kind := "no_blob"
		if e.Outside {
			kind = "outside_workspace"
		}
		return failure(jsonrpc.CodeInvalidParams, e.Error(), ErrorData{Kind: kind, Path: e.Path})
	}
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.NotConfigured {
		return failure(CodeNoModel, err.Error(), ErrorData{Kind: "no_model"})
	}
	if errors.Is(err, engine.ErrBadID) {
		return failure(jsonrpc.CodeInvalidParams, err.Error(), ErrorData{Kind: "invalid_params", Member: "id"})
	}
	if errors.Is(err, engine.ErrTooManyOpen) {
		return limitReached(err.Error())
	}
	if errors.Is(err, engine.ErrEmptyPrompt) {
		return invalidMember("blocks", "must not be empty: a text that is not blank, or an image, is required")
	}
	if errors.Is(err, engine.ErrBadCursor) {
		return failure(jsonrpc.CodeInvalidParams, err.Error(), ErrorData{Kind: "invalid_params", Member: "cursor"})
	}
	for _, known := range failures {
		if errors.Is(err, known.err) {
			return failure(known.code, err.Error(), ErrorData{Kind: known.kind})
		}
	}
	return failure(jsonrpc.CodeInternalError, err.Error(), ErrorData{Kind: "internal"})
}

// lockedData returns the data of an error about a session that another process has.
func lockedData(e *engine.LockedError) ErrorData {
	data := ErrorData{Kind: "in_use", Owner: e.Owner, Host: e.Host}
	if e.Owner == "" {
		data.Owner = processOf(e.PID)
	}
	return data
}

// failures are the errors of the engine that have a code of their own.
var failures = []struct {
	err  error
	code int
	kind string
}{
	{engine.ErrNoSession, CodeNoSession, "no_session"},
	{engine.ErrTurnActive, CodeBusy, "busy"},
	{engine.ErrCommandRunning, CodeBusy, "busy"},
	{engine.ErrIdle, CodeIdle, "idle"},
	{engine.ErrClosed, CodeIdle, "idle"},
	{engine.ErrNoApproval, CodeAnswered, "unknown"},
	{engine.ErrNoQuestion, CodeAnswered, "unknown"},
	{engine.ErrBudget, CodeBudget, "budget"},
	{engine.ErrUnsaved, CodeUnsaved, "unsaved"},
	{engine.ErrUnavailable, CodeUnreachable, "store_unavailable"},
	{engine.ErrTooMuch, CodeTooLarge, "too_large"},
	{engine.ErrSubagent, CodeForbidden, "forbidden"},
	{engine.ErrBatch, CodeForbidden, "forbidden"},
	{engine.ErrOutside, CodeForbidden, "forbidden"},
	{engine.ErrExists, jsonrpc.CodeInvalidParams, "exists"},
	{engine.ErrBadHead, jsonrpc.CodeInvalidParams, "invalid_params"},
	{engine.ErrNoFolder, jsonrpc.CodeInvalidParams, "invalid_params"},
	{engine.ErrNothingToCompact, jsonrpc.CodeInvalidParams, "nothing_to_compact"},
}

// paramsError returns the answer to a request whose method or params are wrong.
func paramsError(method string, err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	if field, ok := errors.AsType[*wire.FieldError](err); ok {
		return invalidMember(field.Field, field.Clause())
	}
	switch {
	case errors.Is(err, jsonrpc.ErrNoMethod):
		return failure(jsonrpc.CodeMethodNotFound, "there is no method "+abridged(method), ErrorData{Kind: "no_method"})
	case errors.Is(err, jsonrpc.ErrNotObject):
		return failure(jsonrpc.CodeInvalidParams, "params must be an object", ErrorData{Kind: "invalid_params"})
	}
	return failure(jsonrpc.CodeInternalError, "internal error", ErrorData{Kind: "internal"})
}

// lineError returns the answer to a line that is no frame.
func lineError(invalid *jsonrpc.Invalid) (jsonrpc.ID, *jsonrpc.Error) {
	invalidRequest := func(message string) *jsonrpc.Error {
		return failure(jsonrpc.CodeInvalidRequest, message, ErrorData{Kind: "invalid_request"})
	}
	switch invalid.Kind {
	case jsonrpc.NotJSON:
		return invalid.ID, failure(jsonrpc.CodeParseError, "the line is not JSON: "+invalid.Detail, ErrorData{Kind: "parse_error"})
	case jsonrpc.Batch:
		return jsonrpc.Null, invalidRequest("batches are not supported: send one request a line")
	case jsonrpc.BadVersion:
		return invalid.ID, invalidRequest(`"jsonrpc" must be "2.0"`)
	case jsonrpc.BadID:
		return jsonrpc.Null, invalidRequest("id must be a string or an integer")
	case jsonrpc.BadMethod:
		return invalid.ID, invalidRequest("method must be a string")
	}
	return invalid.ID, invalidRequest("the line is no request")
}

// These are data that the linker lays out: encoding their data would make each start slower.
var (
	errNotInitialized = &jsonrpc.Error{Code: CodeNotInitialized, Message: "the first request must be initialize", Data: jsontext.Value(`{"kind":"not_initialized"}`)}
	errInitialized    = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the connection is initialized already", Data: jsontext.Value(`{"kind":"invalid_request"}`)}
	errLong           = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is longer than 64 MiB", Data: jsontext.Value(`{"kind":"line_too_long"}`)}
	errClosing        = &jsonrpc.Error{Code: CodeBusy, Message: "the connection is about to end", Data: jsontext.Value(`{"kind":"closing"}`)}
)
