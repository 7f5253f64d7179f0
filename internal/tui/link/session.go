package link

import (
	"context"
	"iter"
	"strings"
	"time"

	"parley.dev/parley/client"
	"parley.dev/parley/record"
)

// A NewSession says what to create.
type NewSession struct {
	Workspace string         // absolute, or relative to the folder of the process
	Settings  map[string]any // such as {"model": "…", "mode": "prompt"}; nil: the defaults
}

// An Opened session is what it is when it has been created, opened or forked.
type Opened struct {
	ID      string       `json:"session"`
	Head    uint64       `json:"head"` // number of the last record
	State   record.State `json:"state"`
	Profile string       `json:"profile"`
	Clients int          `json:"clients"` // this one counted
}

// Create makes a session. It is on disk after its first prompt.
func (l *Link) Create(ctx context.Context, n NewSession) (Opened, error) {
	s, err := l.c.Create(ctx, client.NewSession{Workspace: n.Workspace, Settings: n.Settings})
	if err != nil {
		return Opened{}, err
	}
	return l.Open(ctx, s.ID())
}

// Open opens a session, or joins it if it is open.
func (l *Link) Open(ctx context.Context, session string) (opened Opened, err error) {
	err = l.call(ctx, "session/open", of(session), &opened)
	return opened, err
}

// Leave closes the session for this client. Other clients, and a running turn on a host, go on.
func (l *Link) Leave(ctx context.Context, session string) error {
	return l.call(ctx, "session/close", of(session), nil)
}

// BackendOptions returns the options of the agent of a session's back end, as far as one has reported them.
func (l *Link) BackendOptions(ctx context.Context, session string) ([]record.BackendOption, error) {
	state, err := l.State(ctx, session)
	return state.BackendOptions, err
}

// State returns what a session is now.
func (l *Link) State(ctx context.Context, session string) (record.State, error) {
	return l.c.Session(session).State(ctx)
}

// transient are the kinds of transient records that consoles show.
var transient = []string{
	record.KindTextDelta, record.KindThinkingDelta, record.KindToolInputDelta, record.KindToolOutput, record.KindToolProgress,
	record.KindTerminalCreated, record.KindCommandOutput, record.KindSubagentRecorded, record.KindContextEstimated,
	record.KindUsageTicked, record.KindRetryStarted, record.KindRetryEnded, record.KindCompactionStarted, record.KindStatusChanged,
}

// pace is within which time deltas are merged: about a frame of the screen. Each record costs the console as much as a frame.
const pace = 50 * time.Millisecond

// Follow yields the records of a session from a number on, and each that comes, with the transient ones. A connection that
// is lost is made anew, and the records go on after the last one, each exactly once. It ends with ctx, whose cause is
// yielded as an error, or without an error when the session is ended or removed for all. A session is followed once at a
// time.
func (l *Link) Follow(ctx context.Context, session string, from uint64) iter.Seq2[record.Record, error] {
	return l.c.Session(session).Follow(ctx, client.FollowOptions{From: from, Transient: transient, Pace: pace})
}

// A Page is records in ascending order.
type Page struct {
	Records []record.Record `json:"records"`
	Head    uint64          `json:"head"` // number of the last record of the session
	More    bool            `json:"more"` // there are further records in the direction in which the page was read
}

// Before returns the last records below a number, at most limit (1 to 1,000) and 4 MiB of them; of these kinds only, if
// there are any. A number above the head is allowed, such as math.MaxInt64 for the end of the session.
func (l *Link) Before(ctx context.Context, session string, before uint64, limit int, kinds ...string) (page Page, err error) {
	p := of(session)
	p["before"], p["limit"] = before, limit
	if len(kinds) > 0 {
		p["kinds"] = kinds
	}
	err = l.call(ctx, "session/records", p, &page)
	return page, err
}

// From returns the first records from a number on, as Before does the last ones below it.
func (l *Link) From(ctx context.Context, session string, from uint64, limit int, kinds ...string) (page Page, err error) {
	p := of(session)
	p["from"], p["limit"] = from, limit
	if len(kinds) > 0 {
		p["kinds"] = kinds
	}
	err = l.call(ctx, "session/records", p, &page)
	return page, err
}

// Blob returns an image or a large output by the address that a record has.
func (l *Link) Blob(ctx context.Context, session, address string) ([]byte, error) {
	return l.c.Session(session).Blob(ctx, address)
}

// PutBlob stores an image, and returns the address for a block of a prompt.
func (l *Link) PutBlob(ctx context.Context, session string, data []byte) (address string, err error) {
	p := of(session)
	p["data"] = data // base64 in JSON
	var result struct {
		Address string `json:"address"`
	}
	err = l.call(ctx, "session/put_blob", p, &result)
	return result.Address, err
}

// Change changes settings by a merge patch, such as {"model": "…"}; null removes one. expected, if not 0, is
// [record.State].Changed as last seen: an error of kind stale says that another client was first.
func (l *Link) Change(ctx context.Context, session string, patch map[string]any, expected uint64) error {
	return l.c.Session(session).Change(ctx, patch, expected)
}

// Fork makes a session with the history of another one before a record; 0: all of it.
func (l *Link) Fork(ctx context.Context, session string, before uint64) (opened Opened, err error) {
	p := of(session)
	if before != 0 {
		p["before"] = before
	}
	err = l.call(ctx, "session/fork", p, &opened)
	return opened, err
}

// Branch moves the head of the history to a record: what follows it is no longer part of the conversation. 0 is an empty
// history.
func (l *Link) Branch(ctx context.Context, session string, head uint64) error {
	p := of(session)
	p["head"] = head
	return l.call(ctx, "session/branch", p, nil)
}

// A Restored file is one that Restore puts back, or would put back.
type Restored struct {
	Path    string `json:"path"`    // relative to the workspace with "/", absolute if outside
	Op      string `json:"op"`      // what is done to it: created, updated or deleted
	Diff    string `json:"diff"`    // from now to then
	Cut     int    `json:"cut"`     // lines that Diff lacks at its end
	Missing bool   `json:"missing"` // its content then is not stored: it cannot be put back
	Outside bool   `json:"outside"` // tools may not write it without an approval: it is not put back
}

// Restore puts the files that tools changed back as they were before a record, and returns them; nothing is written without
// apply. An error of kind conflict: something else changed a file since.
func (l *Link) Restore(ctx context.Context, session string, before uint64, apply bool) ([]Restored, error) {
	p := of(session)
	p["before"], p["apply"] = before, apply
	var result struct {
		Files []Restored `json:"files"`
	}
	err := l.call(ctx, "session/restore", p, &result)
	return result.Files, err
}

// Compact begins to replace older history by a summary; a record has it.
func (l *Link) Compact(ctx context.Context, session, guidance string) error {
	p := of(session)
	if guidance != "" {
		p["guidance"] = guidance
	}
	return l.call(ctx, "session/compact", p, nil)
}

// Rename gives a session a name.
func (l *Link) Rename(ctx context.Context, session, name string) error {
	return l.Change(ctx, session, map[string]any{"name": name}, 0)
}

// Archive hides a session from lists, or shows it again.
func (l *Link) Archive(ctx context.Context, session string, archived bool) error {
	return l.Change(ctx, session, map[string]any{"archived": archived}, 0)
}

// Remove deletes a session for all clients.
func (l *Link) Remove(ctx context.Context, session string) error {
	return l.call(ctx, "session/remove", of(session), nil)
}

// Export returns a session as html, md, json or pi.
func (l *Link) Export(ctx context.Context, session, format string) ([]byte, error) {
	p := of(session)
	p["format"] = format
	var result struct {
		Data *string `json:"data"`
		Blob string  `json:"blob"`
	}
	err := l.call(ctx, "session/export", p, &result)
	switch {
	case err != nil:
		return nil, err
	case result.Data != nil:
		return []byte(*result.Data), nil
	}
	return l.Blob(ctx, session, result.Blob)
}

// List returns a page of sessions, those first that were used last, and the cursor of the next page; "": there is none.
func (l *Link) List(ctx context.Context, q client.Query) (page []record.Listed, next string, err error) {
	return l.c.List(ctx, q)
}

// Watch yields the open sessions of the host, and then each session that changes; see [client.Client.Watch].
func (l *Link) Watch(ctx context.Context) iter.Seq2[record.ChangedSession, error] {
	return l.c.Watch(ctx)
}

// Find opens the session that a user means: "latest" is the one of the workspace that was used last, and the beginning of an
// id counts if there is no other one with it. An error of kind no_session: there is none.
func (l *Link) Find(ctx context.Context, workspace, name string) (Opened, error) {
	if name == "latest" {
		page, _, err := l.List(ctx, client.Query{Workspace: workspace, Limit: 1})
		if err == nil && len(page) == 0 {
			err = &client.Error{Code: -32003, Kind: "no_session", Message: "there is no session in " + workspace}
		}
		if err != nil {
			return Opened{}, err
		}
		return l.Open(ctx, page[0].ID)
	}
	opened, err := l.Open(ctx, name)
	if !client.IsKind(err, "no_session") {
		return opened, err
	}
	var matches []string
	for q := (client.Query{Limit: 1000}); len(matches) < 2; {
		page, next, lerr := l.List(ctx, q)
		if lerr != nil {
			return Opened{}, err
		}
		for _, s := range page {
			if strings.HasPrefix(s.ID, name) {
				matches = append(matches, s.ID)
			}
		}
		if q.Cursor = next; next == "" {
			break
		}
	}
	if len(matches) != 1 {
		return Opened{}, err
	}
	return l.Open(ctx, matches[0])
}
