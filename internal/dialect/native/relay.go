package native

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// A relay passes the requests about one session to the host that has it, and its records and answers to the client. When
// the connection to that host breaks, or the session moves, it finds the session anew: on another host, or here.
type relay struct {
	conn    *conn
	session string
	wake    *sync.Cond // of pending, inputEnd and broken

	mu       lock.Mutex // guards the rest
	place    Place      // of the session
	pending  []*pending
	follow   *SessionFollowParams // as the client has sent it; nil: it does not follow
	last     uint64               // the last durable record that the client was sent
	opened   bool                 // the client was sent an answer that is no error
	chosen   bool                 // the client has chosen this host for the session
	inputEnd bool                 // no more requests come
	broken   bool                 // the connection has ended
}

// A pending request was not answered.
type pending struct {
	method  method
	request request
	line    []byte
	params  any
	since   time.Time
	release func() // when it is answered; of dialect.Output.Hold
	sent    bool
	refused bool // by a host that takes nothing new
	unknown bool // a connection ended on which it was sent: it may have been done
}

const (
	// patience is how long a request waits for a host that can answer it: longer than the key of a dead host lasts.
	patience = 20 * time.Second
	// refusedPatience is how long a request waits for a process that takes no connections.
	refusedPatience = 3 * time.Second
	connectWait     = 3 * time.Second
	reachPause      = 100 * time.Millisecond
)

func (c *conn) newRelay(session string, place Place) *relay {
	l := &relay{conn: c, session: session, place: place}
	l.wake = sync.NewCond(&l.mu)
	return l
}

// forward sends a request to the other host, as soon as it can be reached.
func (l *relay) forward(m method, r request, line []byte, params any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := params.(*SessionOpenParams); ok {
		l.chosen = p.Placement == placementHere
	}
	l.pending = append(l.pending, &pending{
		method: m, request: r, line: append([]byte(nil), line...), params: params, since: time.Now(), release: l.conn.out.Hold(),
	})
	l.wake.Broadcast()
}

// endInput lets the other host know that no more requests come.
func (l *relay) endInput() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inputEnd = true
	l.wake.Broadcast()
}

// take returns what the client waits for: requests, and records.
func (l *relay) take() ([]*pending, *follow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn.relays.remove(l)
	taken := l.pending
	l.pending = nil
	if l.follow == nil {
		return taken, nil
	}
	f := followOf(l.follow)
	f.from = l.last + 1
	return taken, f
}

// run relays until the session is closed, is one of this host, or the connection does not wait for it any more.
func (l *relay) run() {
	ctx := l.conn.hurried
	defer l.conn.relays.remove(l)
	for {
		remote, here, err := l.reach(ctx)
		switch {
		case err != nil:
			l.failAll(err)
			return
		case here != nil:
			l.conn.adopt(l, here)
			return
		}
		if l.serve(ctx, remote) {
			return
		}
	}
}

// reach returns a connection to the host that has the session, or the session if it is open here now.
func (l *relay) reach(ctx context.Context) (Remote, *openedHere, error) {
	for start := time.Now(); ; {
		place, chosen := l.owner()
		remote, err := l.connect(ctx, place)
		if err == nil {
			return remote, nil, nil
		}
		l.conn.cfg.Log.Debug("host not reached", "session", l.session, "owner", place.Owner, "error", err)
		here, openErr := l.conn.openHere(ctx, event.SessionID(l.session), chosen)
		locked, elsewhere := lockedElsewhere(openErr)
		switch {
		case ctx.Err() != nil:
			return nil, nil, errors.Join(ctx.Err(), here.close())
		case openErr == nil:
			return nil, here, nil
		case !elsewhere && !isUnavailable(openErr):
			return nil, nil, openErr
		case elsewhere:
			l.setOwner(Place{Owner: locked.Owner, Name: locked.Host, Live: true})
		}
		if _, refused := errors.AsType[refusal](err); refused && time.Since(start) > refusedPatience {
			l.failPending(func(*pending) error { return openErr })
		}
		l.failPending(func(p *pending) error {
			if time.Since(p.since) < patience {
				return nil
			}
			return unreachable(place)
		})
		if l.unused() {
			return nil, nil, errNotUsed
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(reachPause):
		}
	}
}

// A refusal is the error of a process that can be reached and takes no connections.
type refusal interface {
	error
	Refused() bool
}

// errNotUsed is the end of a relay whose client was sent errors only.
var errNotUsed = errors.New("the session was not opened")

// isUnavailable reports whether an error is one of the store, which will be there again.
func isUnavailable(err error) bool {
	for _, known := range []error{engine.ErrNoSession, engine.ErrOutside, engine.ErrTooManyOpen, engine.ErrClosed} {
		if errors.Is(err, known) {
			return false
		}
	}
	_, locked := errors.AsType[*engine.LockedError](err)
	_, damaged := errors.AsType[*engine.DamageError](err)
	return !locked && !damaged
}

// owner returns the process that has the session, and whether the client has chosen this host for it.
func (l *relay) owner() (place Place, chosen bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.place, l.chosen
}

func (l *relay) setOwner(p Place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.place = p
}

// unused reports whether the client has not opened the session, and waits for nothing.
func (l *relay) unused() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened && !l.inputEnd || len(l.pending) > 0 {
		return false
	}
	l.conn.relays.remove(l)
	return true
}

// connect opens a connection to a process, and begins to speak.
func (l *relay) connect(ctx context.Context, place Place) (Remote, error) {
	if place.Owner == "" {
		return nil, errors.New("no process is known to have it")
	}
	ctx, cancel := context.WithTimeout(ctx, connectWait)
	defer cancel()
	remote, err := l.conn.cfg.Hosts.Connect(ctx, place.Owner, l.conn.client.Name)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = remote.Close() })()
	var hello InitializeParams
	hello.Protocol, hello.Client.Name = Version, l.conn.client.Name
	lines := bufio.NewReader(remote)
	_, err = remote.Write(append(frames.AppendRequest(nil, relayID, "initialize", value(hello)), '\n'))
	if err == nil {
		err = readHello(lines)
	}
	if err != nil {
		_ = remote.Close()
		return nil, fmt.Errorf("begin to speak to the other host: %w", err)
	}
	return bufferedRemote{remote, lines}, nil
}

// relayID is the id of the requests of a relay itself. Answers to it do not reach the client, whose own requests never wait
// at the same time.
const relayID = `"parley-relay"`

// readHello reads the answer to initialize.
func readHello(lines *bufio.Reader) error {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return err
	}
	var answer struct {
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return errors.New(answer.Error.Message)
	}
	return nil
}

// A bufferedRemote is a connection of which something was read.
type bufferedRemote struct {
	Remote
	lines *bufio.Reader
}

func (b bufferedRemote) Read(p []byte) (int, error) { return b.lines.Read(p) }
