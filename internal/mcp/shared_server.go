package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/tool"
)

// A sharedServer is one distinct configuration: a server that runs once for all that use it. It
// has at most one connection, and one goroutine (awaitEnd) that waits for its end.
type sharedServer struct {
	pool   *Pool
	key    string
	config config
	hide   hider

	mu           lock.Mutex
	users        map[*user]bool
	name         string // that the last user that left has for the server
	holds        int    // users and running calls; at 0 the idle timer runs
	idle         *time.Timer
	link         *connection   // nil: it does not run
	attempt      *attempt      // to start it or to list its tools; nil: none is under way
	ending       chan struct{} // closed when the connection before has ended; nil: it has
	offers       []offer       // when they were last listed
	instructions string        // the instructions of the server, at its last start
	features     features      // at its last start
	prompts      []*sdk.Prompt // when they were last listed
	stale        bool          // they have changed since
	pause        pause
	fails        int    // failures since the last call that it answered
	problem      string // why it failed last
	status       statusReport

	wanted        *SignInError // why it failed last, if that is the reason; else nil
	signInVersion string       // of the user's sign-in then
}

func newSharedServer(pool *Pool, key string, c config) *sharedServer {
	return &sharedServer{pool: pool, key: key, config: c, hide: newHider(c), users: map[*user]bool{}, pause: pause{pace: pool.pace}}
}

// An attempt to reach a server, for all that wait for it.
type attempt struct {
	done chan struct{} // closed when the rest is set
	link *connection
	err  error
}

// finished returns an attempt that is over.
func finished(l *connection, err error) *attempt {
	a := &attempt{done: make(chan struct{}), link: l, err: err}
	close(a.done)
	return a
}

// wait returns when the attempt is over or ctx ends; the attempt then goes on.
func (a *attempt) wait(ctx context.Context) (*connection, error) {
	select {
	case <-a.done:
		return a.link, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

var errPoolClosed = errors.New("the program is ending")

// ensure starts the server unless it runs, or is not to be started yet. With fresh, the
// attempt ends when its tools are known as they are now.
func (p *sharedServer) ensure(limit time.Duration, fresh bool) *attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link != nil && !(fresh && p.stale) {
		return finished(p.link, nil)
	}
	if p.attempt != nil {
		return p.attempt
	}
	p.noticeSignIn()
	left := p.pause.left()
	wait := time.Duration(0)
	if !fresh && left <= p.pause.first() { // a call waits this long
		left, wait = 0, left
	}
	if p.link == nil && left > 0 {
		left = max(left.Round(time.Second), time.Second)
		if p.wanted != nil {
			return finished(nil, p.wanted)
		}
		return finished(nil, fmt.Errorf("%s; it is started again in %v at the earliest", p.problem, left))
	}
	a := &attempt{done: make(chan struct{})}
	work := func(a *attempt, limit time.Duration) { p.start(a, wait, limit) }
	if p.link != nil {
		work = p.refresh
	} else {
		p.announce(event.ServerStarting, "")
	}
	p.attempt = a
	if !p.pool.workers.start(func() { work(a, limit) }) {
		p.attempt = nil
		return finished(nil, errPoolClosed)
	}
	return a
}

// maxFails is the number of failures after which only a call or a new session starts a server.
const maxFails = 3

// ensureLater is ensure with fresh for those that do not wait for a start: it starts the server
// in the background, unless it has failed too often.
func (p *sharedServer) ensureLater(limit time.Duration) *attempt {
	p.mu.Lock()
	runs, fails, problem := p.link != nil, p.fails, p.problem
	p.mu.Unlock()
	switch {
	case runs:
		return p.ensure(limit, true)
	case fails < maxFails:
		p.ensure(limit, true)
	}
	return finished(nil, errors.New(problem))
}

// start opens a connection after a pause, and waits for its end.
func (p *sharedServer) start(a *attempt, pause, limit time.Duration) {
	if pause > 0 {
		select {
		case <-time.After(pause):
		case <-p.pool.ctx.Done():
		}
	}
	ctx, cancel := context.WithTimeoutCause(p.pool.ctx, limit, fmt.Errorf("it was not ready within %v", limit))
	defer cancel()
	p.mu.Lock()
	ending := p.ending
	p.mu.Unlock()
	if ending != nil {
		<-ending // bounded: programs are killed
	}
	l, offers, err := open(ctx, p)
	p.mu.Lock()
	p.attempt = nil
	if err != nil {
		a.err = p.explain(err)
		p.failed(a.err.Error())
	} else {
		p.wanted = nil
		p.link, p.offers, p.stale = l, offers, l.changed.Swap(false)
		a.link = l
		p.instructions = instructionsOf(l)
		p.features = featuresOf(l)
		p.announce(event.ServerReady, "")
	}
	p.mu.Unlock()
	close(a.done)
	if l != nil {
		cancel()
		p.promptsChanged(l)
		p.awaitEnd(l)
	}
}

// refresh lists the tools again. What goes wrong leaves those from before.
func (p *sharedServer) refresh(a *attempt, limit time.Duration) {
	p.mu.Lock()
	l := p.link
	p.stale = false
	p.mu.Unlock()
	err := errLinkEnded
	var offers []offer
	if l != nil {
		ctx, cancel := context.WithTimeout(l.ctx, limit)
		defer cancel()
		offers, err = l.list(ctx)
	}
	p.mu.Lock()
	p.attempt = nil
	if err == nil {
		p.offers = offers
	} else {
		p.pool.options.Log.Debug("the tools of a server could not be listed again", "server", p.named(), "error", p.hide.error(err))
	}
	a.link, a.err = l, err
	p.mu.Unlock()
	close(a.done)
}

// changed notes that the server's tools are not what they were.
func (p *sharedServer) changed(l *connection) {
	l.changed.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link == l {
		l.changed.Store(false)
		p.stale = true
	}
}

// awaitEnd waits for the end of a connection, or ends it, and for all that belongs to it.
func (p *sharedServer) awaitEnd(l *connection) {
	var lost error
	select {
	case <-l.over:
		lost = l.fault()
	case lost = <-l.lost:
	case <-l.quit:
	case <-p.pool.ctx.Done():
	}
	ending := make(chan struct{})
	p.mu.Lock()
	p.link, p.ending, p.stale = nil, ending, false
	switch {
	case errors.Is(lost, sdk.ErrSessionMissing): // it is there, but has forgotten us
	case lost != nil:
		p.problem = p.explain(lost).Error()
		p.fails++
		p.pause.extend()
	}
	p.mu.Unlock()
	how := l.close(cmp.Or(lost, errLinkEnded), p.pool.options.QuitLimit)
	p.mu.Lock()
	p.ending = nil
	if lost != nil && !errors.Is(lost, sdk.ErrSessionMissing) {
		if how != "" && isHangUp(lost) {
			p.problem = how
		}
		p.announce(event.ServerFailed, p.problem)
	}
	p.mu.Unlock()
	close(ending)
}

// failed notes a start that failed. p.mu is held.
func (p *sharedServer) failed(problem string) {
	p.problem = problem
	p.fails++
	p.pause.extend()
	p.announce(event.ServerFailed, problem)
}

// worked notes that the server answers calls: the next failure is the first again.
func (p *sharedServer) worked() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fails = 0
	p.pause.reset()
}

// announce reports a status to every user. p.mu is held; it is reported without it, since users may come
// back with it.
func (p *sharedServer) announce(status event.ServerStatus, problem string) {
	p.status = statusReport{p.status.serial + 1, status, problem}
	level := p.pool.options.Log.Debug
	if status == event.ServerFailed {
		level = p.pool.options.Log.Warn
	}
	level("tool server "+string(status), "server", p.named(), "error", problem)
	last := p.status
	for u := range p.users {
		p.pool.workers.start(func() { u.report(last) })
	}
}

// report reports the last status to u.
func (p *sharedServer) report(u *user) {
	p.mu.Lock()
	last := p.status
	p.mu.Unlock()
	u.report(last)
}

// state returns what the server does now, without its name and tools.
func (p *sharedServer) state() tool.ServerState {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := tool.ServerState{Status: p.status.status, Error: p.status.problem}
	if p.link != nil {
		s.Status, s.Error = event.ServerReady, ""
	}
	return s
}

// label returns the server's name in logs: that of one session. Others may have other names for it.
func (p *sharedServer) label() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.named()
}

// named is label with p.mu held. After the last session has left, it is the name of that one.
func (p *sharedServer) named() string {
	for u := range p.users {
		return u.name
	}
	return p.name
}

func (p *sharedServer) offered() []offer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offers
}

// maxInstructions bounds the instructions of a server, in bytes.
const maxInstructions = 2 << 10

// instructionsOf returns the instructions of a server for models.
func instructionsOf(l *connection) string {
	i := l.session.InitializeResult()
	if i == nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(i.Instructions)) {
		lines = append(lines, strings.TrimRight(plain(line), " "))
	}
	return brief(l.hide.content(strings.Join(lines, "\n")), maxInstructions)
}

// guide returns what models read about the server: its instructions, or why it cannot be used.
// One that has started before is started again by a call.
func (p *sharedServer) guide() (advice, problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link == nil && p.offers == nil {
		return "", p.problem
	}
	return p.instructions, ""
}

func (p *sharedServer) enter(u *user) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users[u] = true
	p.hold()
}

func (p *sharedServer) leave(u *user) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users[u] {
		delete(p.users, u)
		p.name = u.name
		p.release()
	}
}

// beginCall keeps the server for a call of u; false if u has left.
func (p *sharedServer) beginCall(u *user) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.users[u] {
		return false
	}
	p.hold()
	return true
}

func (p *sharedServer) endCall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release()
}

// hold keeps the server from being idle. p.mu is held.
func (p *sharedServer) hold() {
	p.holds++
	if p.idle != nil {
		p.idle.Stop()
		p.idle = nil
	}
}

// release undoes a hold. p.mu is held.
func (p *sharedServer) release() {
	p.holds--
	if p.holds == 0 && p.pool.ctx.Err() == nil {
		p.idle = time.AfterFunc(p.pool.options.IdleLimit, func() { p.pool.retire(p) })
	}
}

func (p *sharedServer) disarm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle != nil {
		p.idle.Stop()
	}
}

// quit ends an idle server; false if it is not idle any more.
func (p *sharedServer) quit() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds > 0 {
		return false
	}
	if p.attempt != nil { // it is being started for a session that has left
		p.idle = time.AfterFunc(p.pool.options.IdleLimit, func() { p.pool.retire(p) })
		return false
	}
	if p.link != nil {
		close(p.link.quit)
	}
	return true
}
