package mcp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/tool"
)

// A call is a prepared call of a server's tool.
type call struct {
	remote *remote
	input  jsontext.Value // compact
}

func (c *call) Request() approval.Request {
	server, name := c.remote.Origin()
	r := approval.Request{Level: approval.Execute, Server: server, Trusted: c.remote.user.trusted}
	if c.remote.offer.readOnly {
		r.Level = approval.Read
	}
	// All of the arguments: an approval for the session is for exactly this.
	r.Summary = plain(fmt.Sprintf("mcp %s.%s %s", server, name, c.input))
	return r
}

// Run starts the server if need be, and waits for its answer as long as it gives a sign of
// life within the call limit.
func (c *call) Run(ctx context.Context, hooks tool.Hooks) tool.Result {
	u := c.remote.user
	if !u.peer.beginCall(u) {
		return tool.Failed(fmt.Sprintf("the tool server %s cannot be used: the session is over", u.name))
	}
	defer u.peer.endCall()
	s := newScope(ctx, u, hooks)
	defer s.close()
	var result *sdk.CallToolResult
	for again, elicited := true, false; ; {
		l, err := u.peer.ensure(u.startLimit, false).wait(ctx)
		if err != nil && ctx.Err() != nil {
			return tool.Failed("[interrupted]")
		}
		if err != nil {
			return tool.Failed(fmt.Sprintf("the tool server %s is not available: %v", u.name, err))
		}
		d := &delivery{}
		result, err = l.call(withScope(ctx, s), d, &sdk.CallToolParams{Name: c.remote.offer.name, Arguments: c.input}, u.callLimit, hooks.Progress)
		if err != nil && ctx.Err() != nil {
			return tool.Failed("[interrupted]")
		}
		if err != nil && again && d.refused() && l.awaitEnd(ctx) {
			again = false
			continue // it was not run: once more in a new session
		}
		if refusal, ok := protocolError(err); ok && !elicited && s.awaitElicited(ctx, refusal) {
			elicited = true
			continue
		}
		if err != nil {
			return tool.Failed(c.sentence(err, d.refused()))
		}
		break
	}
	u.peer.worked()
	reads := ""
	if u.peer.hasResources() {
		reads = u.name
	}
	return resultOf(result, u.peer.hide, reads)
}

// sentence returns, for the model, what went wrong with a call that has begun.
func (c *call) sentence(err error, refused bool) string {
	u, name := c.remote.user, c.remote.offer.shown
	silent, isSilent := errors.AsType[silence](err)
	refusal, isRefusal := protocolError(err)
	switch {
	case isSilent:
		return fmt.Sprintf("the tool server %s gave no sign of life for %v; the call of %s was cancelled", u.name, time.Duration(silent), name)
	case isRefusal:
		u.peer.worked()
		return fmt.Sprintf("the tool server %s refused the call of %s: %s", u.name, name, u.peer.hide.error(refusal))
	case refused:
		return fmt.Sprintf("the tool server %s was restarted again and again and did not run the call of %s", u.name, name)
	case errors.Is(err, sdk.ErrSessionMissing):
		return fmt.Sprintf("the tool server %s was restarted while %s was called; whether the call had effects is not known", u.name, name)
	case errors.Is(err, errUnreachable):
		return fmt.Sprintf("the tool server %s cannot be reached any more since %s was called; whether the call had effects is not known", u.name, name)
	case isHangUp(err), errors.Is(err, context.Canceled):
		return fmt.Sprintf("the tool server %s ended while %s was called; whether the call had effects is not known", u.name, name)
	}
	if wanted := signInError(err, u.login); wanted != nil {
		return fmt.Sprintf("the tool server %s did not run the call of %s: %v", u.name, name, wanted)
	}
	problem := strings.TrimPrefix(u.peer.hide.error(err), `calling "tools/call": `)
	return fmt.Sprintf("the call of %s of the tool server %s failed: %s", name, u.name, problem)
}

// A silence is how long a server gave no sign of life.
type silence time.Duration

func (s silence) Error() string { return fmt.Sprintf("no sign of life for %v", time.Duration(s)) }

// call calls a tool and passes its progress to onProgress, in this goroutine. It returns soon after ctx
// ends, and has then notified the server.
func (l *connection) call(ctx context.Context, d *delivery, params *sdk.CallToolParams, limit time.Duration, onProgress func(done, total float64, text string)) (*sdk.CallToolResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.lose = func(err error) {
		cancel(err)
		l.lose(err)
	}
	defer d.reached()
	ctx = withDelivery(ctx, d)
	defer context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })()
	s := scopeOf(ctx)
	defer l.enter(s)()
	d.call = s.token()
	progress, token := l.follow()
	defer l.unfollow(token)
	params.Meta = sdk.Meta{"progressToken": token}

	type answer struct {
		result *sdk.CallToolResult
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		result, err := l.session.CallTool(ctx, params)
		answered <- answer{result, err}
	}()
	patience := time.NewTimer(limit)
	defer patience.Stop()
	for {
		select {
		case a := <-answered:
			if a.err != nil && ctx.Err() != nil {
				a.err = context.Cause(ctx)
			} else if isHangUp(a.err) || errors.Is(a.err, sdk.ErrSessionMissing) { // the next call needs another connection
				a.err = l.reason(a.err)
			}
			return a.result, a.err
		case <-progress.news:
			patience.Reset(limit)
			p := progress.take()
			onProgress(p.Progress, p.Total, brief(plain(l.hide.content(p.Message)), maxLast))
		case <-s.activity():
			patience.Reset(limit)
		case <-patience.C:
			if s.waiting() { // the user is asked, which has its own limit
				patience.Reset(limit)
				continue
			}
			cancel(silence(limit))
		}
	}
}

// awaitEnd returns when the connection is no longer used for calls, or false when ctx ends.
func (l *connection) awaitEnd(ctx context.Context) bool {
	select {
	case <-l.ctx.Done():
		return true
	case <-ctx.Done():
		return false
	}
}

// How long the reason for the end of a connection is waited for. That to a program ends
// with it, so the reason comes, however busy the machine is; one HTTP request may fail while the
// connection to its server goes on.
const (
	programReasonWait = 10 * time.Second
	httpReasonWait    = 100 * time.Millisecond
)

// reason returns why the connection has ended, or else err, which reports only that it has.
func (l *connection) reason(err error) error {
	wait := programReasonWait
	if _, ok := l.carrier.(*endpoint); ok {
		wait = httpReasonWait
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-l.ctx.Done():
		return context.Cause(l.ctx)
	case <-timer.C:
		return err
	}
}

// A progress holds the latest progress notification of a call: some are missed by a reader that does not keep up,
// or by the answer's being quicker.
type progress struct {
	news chan struct{} // room for one

	mu     lock.Mutex
	latest *sdk.ProgressNotificationParams
}

func (p *progress) take() *sdk.ProgressNotificationParams {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latest
}

// follow makes a token for a call that begins.
func (l *connection) follow() (p *progress, token string) {
	p = &progress{news: make(chan struct{}, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	token = strconv.FormatInt(l.serial, 10)
	l.progress[token] = p
	return p, token
}

func (l *connection) unfollow(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.progress, token)
}

// progressed passes a notification to its call. It does not wait.
func (l *connection) progressed(params *sdk.ProgressNotificationParams) {
	if params == nil {
		return
	}
	token, _ := params.ProgressToken.(string)
	l.mu.Lock()
	p := l.progress[token]
	l.mu.Unlock()
	if p == nil {
		return
	}
	p.mu.Lock()
	p.latest = params
	p.mu.Unlock()
	select {
	case p.news <- struct{}{}:
	default:
	}
}
