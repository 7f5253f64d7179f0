package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"parley.dev/parley/internal/lazy"
)

// A PermissionError reports that the servers do not permit the user of a connection what a call needs.
type PermissionError struct {
	Subscribe bool // the right to subscribe is missing, not that to publish
	Subject   string
	Roles     []string // those of Roles that have the right
}

func (e *PermissionError) Error() string {
	verb := "publish"
	if e.Subscribe {
		verb = "subscribe"
	}
	text := fmt.Sprintf("the user of this connection has no permission to %s to %s", verb, e.Subject)
	switch n := len(e.Roles); n {
	case 0:
		return text + ", and no role of `parley store config` has it"
	case 1:
		return text + "; the role " + e.Roles[0] + " has it"
	default:
		return text + "; the roles " + strings.Join(e.Roles[:n-1], ", ") + " and " + e.Roles[n-1] + " have it"
	}
}

// violation is the text with which a server refuses a subject. The client library adds nothing but a prefix.
var violation = lazy.Regexp{Expr: `(?i)permissions violation for (publish|subscription) to "(\S+)"`}

// newPermissionError returns the error for one that the client library reports about a connection; nil: it is about
// something else.
func newPermissionError(namespace string, err error) *PermissionError {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return nil
	}
	found := violation.Get().FindStringSubmatch(err.Error())
	if found == nil {
		return nil
	}
	e := &PermissionError{Subscribe: strings.EqualFold(found[1], "subscription"), Subject: found[2]}
	for _, r := range Roles(namespace, maxShards) {
		if r.permits(e.Subscribe, e.Subject) {
			e.Roles = append(e.Roles, r.Name)
		}
	}
	return e
}

// A violations passes permissions that are missing on to the calls that need them. The server reports them to the
// connection, and to the call it does not answer at all.
type violations struct {
	namespace string
	inbox     string // prefix of the subjects that answers are sent to

	mu      sync.Mutex // guards the rest
	waiting map[*waiter]struct{}
	deaf    *PermissionError // no answer can be received
}

// A waiter is a call that waits for an answer.
type waiter struct {
	subjects []string
	cancel   context.CancelCauseFunc
}

// report is the nats.ErrHandler of the connection.
func (v *violations) report(_ *nats.Conn, _ *nats.Subscription, err error) {
	e := newPermissionError(v.namespace, err)
	if e == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if e.Subscribe && strings.HasPrefix(e.Subject, v.inbox+".") {
		e.Subject = v.inbox + ".>" // the rest is random
		v.deaf = e
	}
	for w := range v.waiting {
		if v.deaf != nil || !e.Subscribe && w.needs(e.Subject) {
			w.cancel(e)
		}
	}
}

// reset forgets what was missing: with another connection the permissions may be others.
func (v *violations) reset(*nats.Conn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.deaf = nil
}

// needs reports whether the call publishes to a subject: one of its own, or one below it.
func (w *waiter) needs(subject string) bool {
	for _, s := range w.subjects {
		if rest, ok := strings.CutPrefix(subject, s); ok && (rest == "" || rest[0] == '.') {
			return true
		}
	}
	return false
}

// watch returns a context for a call that publishes to subjects. It ends if one of them is not permitted. done must be
// called with the error of the call, which becomes a *PermissionError then.
func (v *violations) watch(ctx context.Context, subjects ...string) (_ context.Context, done func(*error)) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &waiter{subjects, cancel}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.deaf != nil {
		cancel(v.deaf)
	}
	v.waiting[w] = struct{}{}
	return ctx, func(err *error) {
		v.mu.Lock()
		delete(v.waiting, w)
		v.mu.Unlock()
		if e := missing(ctx); e != nil && *err != nil {
			*err = e
		}
		cancel(nil)
	}
}

// missing returns the permission that has ended a context of watch; nil: none has.
func missing(ctx context.Context) *PermissionError {
	e, _ := errors.AsType[*PermissionError](context.Cause(ctx))
	return e
}
