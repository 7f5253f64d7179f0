package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/tool"
)

// This file handles the requests that servers make while a call of them runs: each belongs to
// one call, and ends with it.

// Limits of what a server asks for during one call.
const (
	maxOpenRequests = 3
	maxRequests     = 20
)

// A scope is a running call of a session, for the requests that its server makes meanwhile.
type scope struct {
	user  *user
	hooks tool.Hooks
	ctx   context.Context // ends with the call
	busy  chan struct{}   // room for one: a request began or ended

	mu      lock.Mutex
	id      string // on its connection
	open    int
	total   int
	samples int
	closed  bool
	work    sync.WaitGroup
	cancel  context.CancelFunc
}

// newScope returns the scope of a call that runs until ctx ends or close is called.
func newScope(ctx context.Context, u *user, hooks tool.Hooks) *scope {
	if hooks.Ask == nil { // it is not a call of a tool
		hooks.Ask = func(context.Context, []event.Question) ([][]string, error) { return nil, tool.ErrUnattended }
		hooks.Permit = func(context.Context, string, string) error { return tool.ErrUnattended }
	}
	s := &scope{user: u, hooks: hooks, busy: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// close ends the requests that are open, and returns when they have ended.
func (s *scope) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.work.Wait()
}

// token returns the id of the call on its connection; "" of a nil scope.
func (s *scope) token() string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// activity is received from when a request began or ended; nil of a nil scope.
func (s *scope) activity() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.busy
}

// waiting reports whether a request is open.
func (s *scope) waiting() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open > 0
}

// begin opens a request of the server; end must follow. ctx ends with the call, with the request,
// and when nothing has answered it for the limit of a call.
func (s *scope) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, nil, refuseRequest("the call has ended")
	case s.open >= maxOpenRequests:
		return nil, nil, refuseRequest(fmt.Sprintf("%d requests of this call are open", s.open))
	case s.total >= maxRequests:
		return nil, nil, refuseRequest(fmt.Sprintf("this call has made %d requests", s.total))
	}
	s.open++
	s.total++
	s.work.Add(1)
	s.notice()
	ctx, cancel := context.WithTimeout(ctx, s.user.callLimit)
	unlink := context.AfterFunc(s.ctx, cancel)
	return ctx, func() {
		unlink()
		cancel()
		s.mu.Lock()
		s.open--
		s.notice()
		s.mu.Unlock()
		s.work.Done()
	}, nil
}

// notice restarts the time limit of the call. s.mu is held.
func (s *scope) notice() {
	select {
	case s.busy <- struct{}{}:
	default:
	}
}

// show makes a text of the server fit to be shown to a user, in at most limit bytes.
func (s *scope) show(text string, limit int) string {
	return brief(strings.TrimSpace(plain(s.user.peer.hide.content(text))), limit)
}

// refuseRequest returns the error that answers a request of a server that cannot be served.
func refuseRequest(why string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: why}
}

type scopeKey struct{}

func withScope(ctx context.Context, s *scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// scopeOf returns the scope of ctx; nil if it has none.
func scopeOf(ctx context.Context) *scope {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	return s
}

// enter makes s, which may be nil, one of the running calls of the connection until leave.
func (l *connection) enter(s *scope) (leave func()) {
	if s == nil {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	s.mu.Lock()
	s.id = fmt.Sprintf("call-%d", l.serial)
	s.mu.Unlock()
	l.scopes = append(l.scopes, s)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.scopes = slices.DeleteFunc(l.scopes, func(o *scope) bool { return o == s })
	}
}

// The members of _meta that annotate adds.
const (
	metaCall  = "dev.parley/call"
	metaOrder = "dev.parley/order"
)

// scopeFor returns the call that a request of the server belongs to: that of ctx, that whose stream
// the request came on, or the only one that there can be. Where several sessions call the server
// at the same time and nothing says which of them it means, none is asked.
func (l *connection) scopeFor(ctx context.Context, meta sdk.Meta) (*scope, error) {
	if s := scopeOf(ctx); s != nil {
		return s, nil
	}
	id, _ := meta[metaCall].(string)
	l.mu.Lock()
	defer l.mu.Unlock()
	var found *scope
	for _, s := range l.scopes {
		switch {
		case id != "" && s.id == id:
			return s, nil
		case found != nil && found.user != s.user:
			return nil, refuseRequest("several sessions call this server now, and it is not known which of them is meant")
		}
		found = s
	}
	if found == nil {
		return nil, refuseRequest("no call of this server is running")
	}
	return found, nil
}

// annotate adds to a request for input what the library does not pass on: the call whose stream it
// came on, if that is known, and the order of the fields of a form. Other messages stay as they are.
func annotate(message []byte, call string) []byte {
	if !bytes.Contains(message, []byte(`"elicitation/create"`)) && !bytes.Contains(message, []byte(`"sampling/createMessage"`)) {
		return message
	}
	var fields, params, meta map[string]jsontext.Value
	if json.Unmarshal(message, &fields) != nil || fields["method"] == nil || json.Unmarshal(fields["params"], &params) != nil || params == nil {
		return message
	}
	_ = json.Unmarshal(params["_meta"], &meta)
	if meta == nil {
		meta = map[string]jsontext.Value{}
	}
	delete(meta, metaCall) // a server must not choose the session that it asks
	delete(meta, metaOrder)
	if call != "" {
		meta[metaCall], _ = json.Marshal(call)
	}
	if order := memberNames(params["requestedSchema"], "properties"); order != nil {
		meta[metaOrder], _ = json.Marshal(order)
	}
	var err error
	if params["_meta"], err = json.Marshal(meta); err != nil {
		return message
	}
	if fields["params"], err = json.Marshal(params); err != nil {
		return message
	}
	if annotated, err := json.Marshal(fields); err == nil {
		return annotated
	}
	return message
}

// memberNames returns the names of the members of a member of object, in their order.
func memberNames(object jsontext.Value, member string) []string {
	var fields map[string]jsontext.Value
	if json.Unmarshal(object, &fields) != nil {
		return nil
	}
	in := jsontext.NewDecoder(strings.NewReader(string(fields[member])))
	if token, err := in.ReadToken(); err != nil || token.Kind() != '{' {
		return nil
	}
	var names []string
	for in.PeekKind() == '"' {
		token, err := in.ReadToken()
		if err != nil {
			return nil
		}
		names = append(names, token.String())
		if in.SkipValue() != nil {
			return nil
		}
	}
	return names
}

// ended reports whether err means that a request was withdrawn: its call or the server has ended.
func ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
