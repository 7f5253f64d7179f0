package natstest

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Direction is one of the two in which a Link transmits.
type Direction int

// The directions.
const (
	Up   Direction = iota // from the side that connects
	Down                  // to the side that connects
)

// A Link is a network between a client and servers, or between two servers, that a test can disturb. It ends
// with the test.
type Link struct {
	// Addresses are where the link listens, HOST:PORT, one for each server.
	Addresses []string

	mu      sync.Mutex // guards the rest
	changed chan struct{}
	stalled [2]bool
	delay   time.Duration
	refused bool
	markers [2]*marker
	conns   map[net.Conn]net.Conn // by the side that connects
	ended   bool
}

// A marker is a text at which a direction stalls.
type marker struct {
	text []byte
	seen chan struct{}
	tail []byte // of what was transmitted, which the text may begin in
}

// NewLink returns a link to servers, given as HOST:PORT or nats://HOST:PORT. It transmits everything.
func NewLink(t testing.TB, servers ...string) *Link {
	t.Helper()
	l := &Link{changed: make(chan struct{}), conns: map[net.Conn]net.Conn{}}
	var running sync.WaitGroup
	var listeners []net.Listener
	t.Cleanup(func() {
		for _, listener := range listeners {
			_ = listener.Close()
		}
		l.change(func() { l.ended = true })
		l.Break()
		running.Wait()
	})
	for _, server := range servers {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, listener)
		l.Addresses = append(l.Addresses, listener.Addr().String())
		running.Go(func() { l.accept(listener, strings.TrimPrefix(server, "nats://"), &running) })
	}
	return l
}

// URL returns the servers of the link for a client.
func (l *Link) URL() string { return "nats://" + strings.Join(l.Addresses, ",") }

// change changes the state and wakes what waits for that.
func (l *Link) change(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	close(l.changed)
	l.changed = make(chan struct{})
}

// Stall makes a direction transmit nothing until Resume. What is sent meanwhile waits, as in the buffers of
// sockets.
func (l *Link) Stall(d Direction) { l.change(func() { l.stalled[d] = true }) }

// StallAt stalls a direction when a text is sent in it: the text, or its end, waits. It returns a channel that is
// closed then.
func (l *Link) StallAt(d Direction, text string) (seen <-chan struct{}) {
	m := &marker{text: []byte(text), seen: make(chan struct{})}
	l.change(func() { l.markers[d] = m })
	return m.seen
}

// Delay makes each piece of data take a time.
func (l *Link) Delay(d time.Duration) { l.change(func() { l.delay = d }) }

// ResumeOnly is Resume of one direction.
func (l *Link) ResumeOnly(d Direction) {
	l.change(func() { l.stalled[d], l.markers[d] = false, nil })
}

// Resume ends Stall, StallAt, Delay and Refuse. What waits is transmitted.
func (l *Link) Resume() {
	l.change(func() {
		l.stalled, l.markers, l.delay, l.refused = [2]bool{}, [2]*marker{}, 0, false
	})
}

// Break closes the connections. What waits is discarded.
func (l *Link) Break() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for near, far := range l.conns {
		reset(near)
		reset(far)
	}
	clear(l.conns)
	close(l.changed)
	l.changed = make(chan struct{})
}

// reset closes a connection without a proper end.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// Refuse is Break, and closes new connections until Resume.
func (l *Link) Refuse() {
	l.change(func() { l.refused = true })
	l.Break()
}

func (l *Link) accept(listener net.Listener, server string, running *sync.WaitGroup) {
	for {
		near, err := listener.Accept()
		if err != nil {
			return
		}
		running.Go(func() { l.connect(near, server) })
	}
}

// connect transmits between a connection and the server until either ends.
func (l *Link) connect(near net.Conn, server string) {
	far, err := net.Dial("tcp", server)
	if err != nil {
		reset(near)
		return
	}
	l.mu.Lock()
	if l.refused || l.ended {
		l.mu.Unlock()
		reset(near)
		reset(far)
		return
	}
	l.conns[near] = far
	l.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { l.transmit(Up, near, near, far) })
	both.Go(func() { l.transmit(Down, near, far, near) })
	both.Wait()
	_ = near.Close()
	_ = far.Close()
	l.mu.Lock()
	delete(l.conns, near)
	l.mu.Unlock()
}

// transmit copies one direction of a connection, and its end. What a process sent before it was killed is
// transmitted all the same, so an error of the other direction does not end it.
func (l *Link) transmit(d Direction, near, from, to net.Conn) {
	defer func() { _ = to.(*net.TCPConn).CloseWrite() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if !l.pass(d, near, buffer[:n]) {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				if d == Up {
					_ = near.Close() // the server has ended
				}
				_, _ = io.Copy(io.Discard, from)
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// pass waits until a piece may be transmitted. It returns false when its connection was broken.
func (l *Link) pass(d Direction, near net.Conn, piece []byte) bool {
	l.mu.Lock()
	l.mark(d, piece)
	delay := l.delay
	l.mu.Unlock()
	var slow <-chan time.Time
	if delay > 0 {
		slow = time.After(delay)
	}
	for {
		l.mu.Lock()
		stalled, changed := l.stalled[d], l.changed
		_, there := l.conns[near]
		l.mu.Unlock()
		switch {
		case !there:
			return false
		case !stalled && slow == nil:
			return true
		case stalled:
			<-changed
		default:
			select {
			case <-slow:
				slow = nil
			case <-changed:
			}
		}
	}
}

// mark stalls a direction if the marker is in a piece. The caller holds l.mu.
func (l *Link) mark(d Direction, piece []byte) {
	m := l.markers[d]
	if m == nil {
		return
	}
	text := slices.Concat(m.tail, piece)
	if bytes.Contains(text, m.text) {
		l.stalled[d], l.markers[d] = true, nil
		close(m.seen)
		return
	}
	m.tail = text[max(0, len(text)-len(m.text)+1):]
}
