package client

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// An Error is a request that was refused.
type Error struct {
	Code    int            // of JSON-RPC, or of docs/native.md
	Kind    string         // stable word, such as no_session, busy or answered
	Message string         // for users
	Data    jsontext.Value // everything that is known, as JSON; nil: nothing
}

func (e *Error) Error() string { return e.Message }

// IsKind reports whether err is an [Error] of this kind.
func IsKind(err error, kind string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == kind
}

var (
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the client is closed")
	// ErrLost is returned by a request that must not be repeated and whose connection was lost before the answer came: what
	// became of it is not known.
	ErrLost = errors.New("the connection was lost before the answer came")
	// ErrFollowed is returned by Follow of a session that this client follows already.
	ErrFollowed = errors.New("the client follows the session already")
)
