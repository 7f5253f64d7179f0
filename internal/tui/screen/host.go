package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/client"
	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// A Host is the connection to the host of the sessions. Its methods are those of [link.Link], but for Receive; the screen
// calls them outside of Update, several at a time.
type Host interface {
	sessions
	turns
	lists
	// Receive ends the records of the session that is followed, and begins those of another one from a number on. They are
	// sent to the program as Records. It does not wait for them; an empty session has none.
	Receive(session string, from uint64)
}

type sessions interface {
	Create(ctx context.Context, n link.NewSession) (link.Opened, error)
	Open(ctx context.Context, session string) (link.Opened, error)
	Leave(ctx context.Context, session string) error
	Before(ctx context.Context, session string, before uint64, limit int, kinds ...string) (link.Page, error)
	Change(ctx context.Context, session string, patch map[string]any, expected uint64) error
	Fork(ctx context.Context, session string, before uint64) (link.Opened, error)
	Branch(ctx context.Context, session string, head uint64) error
	Restore(ctx context.Context, session string, before uint64, apply bool) ([]link.Restored, error)
	Compact(ctx context.Context, session, guidance string) error
	Remove(ctx context.Context, session string) error
	Blob(ctx context.Context, session, address string) ([]byte, error)
}

type turns interface {
	Prompt(ctx context.Context, session string, p client.Prompt) error
	Steer(ctx context.Context, session string, p client.Prompt) error
	FollowUp(ctx context.Context, session string, p client.Prompt) error
	ClearQueue(ctx context.Context, session, which string) ([]record.Queued, error)
	Interrupt(ctx context.Context, session string) (bool, error)
	Allow(ctx context.Context, session, approval, remember string) error
	Deny(ctx context.Context, session, approval, reason string) error
	Answer(ctx context.Context, session, question string, answers [][]string) error
}

type lists interface {
	List(ctx context.Context, q client.Query) (page []record.Listed, next string, err error)
	Models(ctx context.Context, discover bool) (link.Models, error)
	Tools(ctx context.Context, session string) ([]link.Tool, error)
	BackendOptions(ctx context.Context, session string) ([]record.BackendOption, error)
	Usage(ctx context.Context, session string) (link.Usage, error)
	Files(ctx context.Context, workspace, query string, limit int) ([]string, error)
	Skills(ctx context.Context, workspace string) ([]string, error)
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

// A reply is a message: the answer to a request, as what it does to the screen.
type reply func(m *Model) tea.Cmd

// request returns a command that calls the host and gives its answer to done.
func request[T any](m *Model, call func(ctx context.Context, h Host) (T, error), done func(m *Model, result T, err error) tea.Cmd) tea.Cmd {
	host := m.o.Host
	return func() tea.Msg {
		result, err := call(context.Background(), host)
		return reply(func(m *Model) tea.Cmd { return done(m, result, err) })
	}
}

// order returns a command that calls the host for something without a result; done may be nil. An error leaves a line.
func order(m *Model, call func(ctx context.Context, h Host) error, done func(m *Model) tea.Cmd) tea.Cmd {
	return request(m, func(ctx context.Context, h Host) (struct{}, error) { return struct{}{}, call(ctx, h) }, func(m *Model, _ struct{}, err error) tea.Cmd {
		switch {
		case err != nil:
			m.note(levelError, err.Error())
			return nil
		case done != nil:
			return done(m)
		}
		return nil
	})
}
