package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/event"
)

// A peer is one distinct configuration: a server that runs once for all that use it. It
// has at most one link, and one goroutine (tend) that sees that link to its end.
type peer struct {
	pool   *Pool
	key    string
	config config
	hide   hider

	mu      sync.Mutex
	users   map[*user]bool
	holds   int // users and running calls; at 0 the idle timer runs
	idle    *time.Timer
	link    *link         // nil: it does not run
	attempt *attempt      // to start it or to list its tools; nil: none is under way
	ending  chan struct{} // closed when the link before is all gone; nil: it is
	offers  []offer       // when they were last listed
	stale   bool          // they have changed since
	pause   pause
	problem string // why it failed last
	news    news
}

func newPeer(pool *Pool, key string, c config) *peer {
	return &peer{pool: pool, key: key, config: c, hide: newHider(c), users: map[*user]bool{}, pause: pause{pace: pool.pace}}
}

// An attempt to reach a server, for all that wait for it.
type attempt struct {
	done chan struct{} // closed when the rest is set
	link *link
	err  error
}

// finished is an attempt that is over.
func finished(l *link, err error) *attempt {
	a := &attempt{done: make(chan struct{}), link: l, err: err}
	close(a.done)
	return a
}

// wait returns when the attempt is over or ctx ends; the attempt then goes on.
func (a *attempt) wait(ctx context.Context) (*link, error) {
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
func (p *peer) ensure(limit time.Duration, fresh bool) *attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link != nil && !(fresh && p.stale) {
		return finished(p.link, nil)
	}
	if p.attempt != nil {
		return p.attempt
	}
	if left := p.pause.left(); p.link == nil && left > 0 {
		left = max(left.Round(time.Second), time.Second)
		return finished(nil, fmt.Errorf("%s; it is started again in %v at the earliest", p.problem, left))
	}
	a, work := &attempt{done: make(chan struct{})}, p.start
	if p.link != nil {
		work = p.refresh
	} else {
		p.announce(event.ServerStarting, "")
	}
	p.attempt = a
	if !p.pool.crew.start(func() { work(a, limit) }) {
		p.attempt = nil
		return finished(nil, errPoolClosed)
	}
	return a
}

// start opens a link, and tends it until its end.
func (p *peer) start(a *attempt, limit time.Duration) {
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
		p.failed(p.hide.error(err))
		a.err = errors.New(p.problem)
	} else {
		p.link, p.offers, p.stale = l, offers, l.changed.Swap(false)
		a.link = l
		p.announce(event.ServerReady, "")
	}
	p.mu.Unlock()
	close(a.done)
	if l != nil {
		cancel()
		p.tend(l)
	}
}

// refresh lists the tools again. What goes wrong leaves those from before.
func (p *peer) refresh(a *attempt, limit time.Duration) {
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
func (p *peer) changed(l *link) {
	l.changed.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link == l {
		l.changed.Store(false)
		p.stale = true
	}
}

// tend waits for the end of a link, or brings it about, and for all that belongs to it.
func (p *peer) tend(l *link) {
	var lost error
	select {
	case <-l.over:
		lost = l.fault()
	case <-l.quit:
	case <-p.pool.ctx.Done():
	}
	ending := make(chan struct{})
	p.mu.Lock()
	p.link, p.ending, p.stale = nil, ending, false
	switch {
	case errors.Is(lost, sdk.ErrSessionMissing): // it is there, but has forgotten us
	case lost != nil:
		p.problem = p.hide.error(lost)
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
func (p *peer) failed(problem string) {
	p.problem = problem
	p.pause.extend()
	p.announce(event.ServerFailed, problem)
}

// worked notes that the server answers calls: the next failure is the first again.
func (p *peer) worked() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pause.reset()
}

// announce tells every user. p.mu is held; users are told without it, since they may come
// back with it.
func (p *peer) announce(status event.ServerStatus, problem string) {
	p.news = news{p.news.serial + 1, status, problem}
	level := p.pool.options.Log.Debug
	if status == event.ServerFailed {
		level = p.pool.options.Log.Warn
	}
	level("tool server "+string(status), "server", p.named(), "error", problem)
	said := p.news
	for u := range p.users {
		p.pool.crew.start(func() { u.tell(said) })
	}
}

// greet tells u what it has not heard.
func (p *peer) greet(u *user) {
	p.mu.Lock()
	said := p.news
	p.mu.Unlock()
	u.tell(said)
}

// label is the peer's name in logs: a session's for it. Others may have other names.
func (p *peer) label() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.named()
}

// named is label with p.mu held.
func (p *peer) named() string {
	for u := range p.users {
		return u.name
	}
	return ""
}

func (p *peer) offered() []offer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offers
}

func (p *peer) enter(u *user) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users[u] = true
	p.hold()
}

func (p *peer) leave(u *user) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users[u] {
		delete(p.users, u)
		p.release()
	}
}

// beginCall keeps the server for a call of u; false if u has left.
func (p *peer) beginCall(u *user) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.users[u] {
		return false
	}
	p.hold()
	return true
}

func (p *peer) endCall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release()
}

// hold keeps the server from being idle. p.mu is held.
func (p *peer) hold() {
	p.holds++
	if p.idle != nil {
		p.idle.Stop()
		p.idle = nil
	}
}

// release undoes a hold. p.mu is held.
func (p *peer) release() {
	p.holds--
	if p.holds == 0 && p.pool.ctx.Err() == nil {
		p.idle = time.AfterFunc(p.pool.options.IdleLimit, func() { p.pool.retire(p) })
	}
}

func (p *peer) disarm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle != nil {
		p.idle.Stop()
	}
}

// quit ends an idle server; false if it is not idle any more.
func (p *peer) quit() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds > 0 {
		return false
	}
	if p.attempt != nil { // it is being started for somebody who has left
		p.idle = time.AfterFunc(p.pool.options.IdleLimit, func() { p.pool.retire(p) })
		return false
	}
	if p.link != nil {
		close(p.link.quit)
	}
	return true
}
