package link

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/client"
)

// Name is how other clients see a console.
const Name = "parley-tui"

// Options are what a Link connects to, and how.
type Options struct {
	Address string // unix:PATH, ws://… or wss://…; "": a process of its own
	Token   string // for ws:// and wss://
	Version string // of the console
	Program string // parley, for a process of its own
	Dir     string // where that process works; "": the folder of this one
	// Status is called when the connection is lost, with an error, again with each attempt to make it anew that fails, and
	// with nil when it is there again; nil: it is not called. It must return soon, and call no method of the Link.
	Status func(error)
}

// A Link is a connection that is made anew when it is lost, for as long as the Link is open: requests wait for it, until
// their context ends. Its methods are safe for concurrent use.
//
// Methods about a session have its id as their second argument. An error of the host is a [client.Error]; see
// [client.IsKind].
type Link struct {
	c        *client.Client
	embedded bool
	stderr   *tail

	life      context.Context // until Close
	end       context.CancelFunc
	returning sync.WaitGroup // makes lost connections anew
}

// unlimited is a patience that no console has.
const unlimited = 365 * 24 * time.Hour

// Open connects. ctx is for the first connection only.
func Open(ctx context.Context, o Options) (*Link, error) {
	l := &Link{embedded: o.Address == "", stderr: &tail{}}
	l.life, l.end = context.WithCancel(context.Background())
	options := client.Options{Name: Name, Version: o.Version, Token: o.Token, Patience: unlimited, Status: l.status(o.Status)}
	var err error
	if l.embedded {
		l.c, err = client.Spawn(ctx, client.SpawnOptions{
			Options: options, Program: o.Program, Args: []string{"--host=off"}, Dir: o.Dir, Stderr: l.stderr, Sys: processOf(),
		})
	} else {
		l.c, err = client.Dial(ctx, o.Address, options)
	}
	if err != nil {
		l.end()
		if text := l.Stderr(); text != "" {
			err = errors.New(text) // what the process says about its end is more than that it has ended
		}
		if o.Address != "" {
			err = fmt.Errorf("%s: %w", o.Address, err)
		}
		return nil, err
	}
	return l, nil
}

// status returns what the client calls. A lost connection is made anew at once, whether or not something needs it.
func (l *Link) status(report func(error)) func(error) {
	var lost bool // calls of the client do not overlap
	return func(err error) {
		if err != nil && !lost && l.life.Err() == nil {
			l.returning.Go(func() { _ = l.call(l.life, "ping", nil, nil) })
		}
		lost = err != nil
		if report != nil {
			report(err)
		}
	}
}

// Embedded reports whether the sessions are in a process of the console, which ends with it.
func (l *Link) Embedded() bool { return l.embedded }

// Stderr returns the end of what the process of the console has written to standard error.
func (l *Link) Stderr() string { return strings.TrimSpace(l.stderr.String()) }

// Close ends the connection. A process of the console ends its turns first: see Interrupt.
func (l *Link) Close() error {
	l.end()
	err := l.c.Close()
	l.returning.Wait()
	return err
}

// params are those of a request.
type params map[string]any

// call sends a request and reads its result into result; nil: it is not wanted.
func (l *Link) call(ctx context.Context, method string, p params, result any) error {
	if p == nil {
		p = params{}
	}
	return l.c.Call(ctx, method, p, result)
}

// of returns params about a session.
func of(session string) params { return params{"session": session} }
