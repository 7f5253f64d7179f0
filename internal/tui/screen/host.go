package screen

import (
	"context"

	"parley.dev/parley/record"
)

// A Host is the connection to the host of the sessions. The screen calls it outside of Update, several calls at a time.
type Host interface {
	// Call sends a request of the native protocol and reads its result, as Client.Call of package client.
	Call(ctx context.Context, method string, params, result any) error
	// Follow ends the records of the session that is followed, and begins those of another one, which are sent to the
	// program as Records; "" follows none. It does not wait for them.
	Follow(session string)
}

// Records is a message: records of the session that is followed, in order.
type Records struct {
	Session string
	Records []record.Record
}

// Connection is a message: the connection to the host was lost, or is there again.
type Connection struct{ Lost bool }

// SessionChanged is a message: what a session of the host is now.
type SessionChanged struct{ record.ChangedSession }

// Branch is a message: the branch of the version control of the workspace; "": none.
type Branch string

// Failure is a message: something that the user did not request has failed, and cannot be tried again.
type Failure struct{ Err error }
