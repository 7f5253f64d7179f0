package signin

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

const usualOriginator = "parley"

// An Attempt is one sign-in, from Start to its one end.
type Attempt struct {
	m          *Manager
	asked      Method
	originator string
	events     func(Event)

	cancel context.CancelFunc
	over   chan struct{} // closed after the last event

	mu      sync.Mutex
	method  Method
	account Account
	err     error
}

// Start begins a sign-in, which ends when a user has done their part, after
// Options.Limit, or with ctx. Only one runs at a time: ErrBusy. The originator names the
// issuer which program asks; "" is parley.
//
// Events are reported one after the other from a goroutine of the attempt, the first perhaps
// before Start returns. The callback may wait; the sign-in waits with it. Before the last
// event is reported, the next Start can begin.
func (m *Manager) Start(ctx context.Context, method Method, originator string, events func(Event)) (*Attempt, error) {
	if originator == "" {
		originator = usualOriginator
	}
	switch err := m.o.check(); {
	case err != nil:
		return nil, err
	case !method.Known():
		return nil, errors.New("the method of a sign-in is auto, browser or device_code")
	case !plain(originator, 64):
		return nil, errors.New("the originator of a sign-in has 1 to 64 letters, digits and signs, and no space")
	}
	if err := m.occupy(); err != nil {
		return nil, err
	}
	if events == nil {
		events = func(Event) {}
	}
	a := &Attempt{
		m: m, asked: method, originator: originator, events: events,
		method: methodFor(method, runtime.GOOS, m.o.Environ),
		over:   make(chan struct{}),
	}
	ctx, a.cancel = context.WithCancel(ctx)
	forget := context.AfterFunc(m.life, a.cancel)
	go func() {
		defer m.work.Done()
		defer close(a.over)
		defer a.cancel()
		defer forget()
		a.run(ctx)
	}()
	return a, nil
}

// occupy takes the one place for an attempt, and counts it as work.
func (m *Manager) occupy() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return ErrClosed
	case m.busy:
		return ErrBusy
	}
	m.busy = true
	m.work.Add(1)
	return nil
}

func (m *Manager) vacate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.busy = false
}

// Method is Browser or DeviceCode. With Auto it may still change from DeviceCode to Browser,
// until there is a url: not every issuer knows device codes.
func (a *Attempt) Method() Method {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.method
}

// Cancel ends the attempt unless it has ended; Wait returns then.
func (a *Attempt) Cancel() { a.cancel() }

// Wait returns how the attempt ended, a *Failure unless it succeeded; or, while the attempt
// goes on, the cause of ctx. Nothing of the attempt runs any more when its end is returned.
func (a *Attempt) Wait(ctx context.Context) (Account, error) {
	select {
	case <-a.over:
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.account, a.err
	case <-ctx.Done():
		return Account{}, context.Cause(ctx)
	}
}

func (a *Attempt) run(ctx context.Context) {
	a.send(Event{Kind: Started})
	c, err := a.signIn(ctx)

	last := Event{Kind: Completed, Method: c.Method, Account: c.AccountID}
	if err != nil {
		last = Event{Kind: Failed, Message: err.Error()}
	}
	a.mu.Lock()
	a.account, a.err = c.account(), err
	a.mu.Unlock()
	a.m.vacate()
	a.send(last)
}

func (a *Attempt) signIn(ctx context.Context) (credential, error) {
	ctx, cancel := limited(ctx, a.m.o.Limit)
	defer cancel()
	if a.Method() == DeviceCode {
		c, err := a.byDeviceCode(ctx)
		if a.asked != Auto || !errors.Is(err, errNoDeviceCodes) {
			return c, err
		}
		a.mu.Lock()
		a.method = Browser
		a.mu.Unlock()
	}
	return a.byBrowser(ctx)
}

func (a *Attempt) send(e Event) {
	e.Provider = a.m.o.Provider
	a.events(e)
}

// A lapse is the cause of a context whose limit has passed.
type lapse struct{ limit time.Duration }

func (l *lapse) Error() string { return "the time is up after " + spoken(l.limit) }

func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, &lapse{limit})
}

// ended returns the failure of a flow whose context is done.
func ended(ctx context.Context, flow string) error {
	if l, ok := errors.AsType[*lapse](context.Cause(ctx)); ok {
		return &Failure{fmt.Sprintf("%s timed out after %s.", flow, spoken(l.limit)), context.DeadlineExceeded}
	}
	return errCancelled
}

var errCancelled = &Failure{"OAuth login cancelled.", context.Canceled}
