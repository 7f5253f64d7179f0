package host

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"parley.dev/parley/internal/host/audit"
	"parley.dev/parley/internal/host/token"
	"parley.dev/parley/internal/lock"
)

// A Conn is a connection whose preamble was accepted.
type Conn struct {
	Preamble
	In  io.Reader
	Out io.Writer
	// Closing ends when the host begins to close.
	Closing context.Context
	// Stop is closed when the connection has to end.
	Stop <-chan struct{}
	// Token is what a client of the network may do; nil: everything, it is the user.
	Token *token.Info
	// Relay is the host that relays the client, HOST.INCARNATION; "": it is connected to this one.
	Relay string
	// Signal returns the signal to the client's process that Stop is about, or nil; nil: no process is known.
	Signal func() os.Signal
}

// A Dialect prepares to speak to a client. The error is one of the preamble: nothing was said. Serve speaks until the
// connection ends, and returns what the client's process ends with: its exit code, and what it reports on stderr.
type Dialect func(context.Context, Conn) (serve Serve, err error)

// A Serve speaks to a client.
type Serve func() (code int, err error)

// Options are how a Host works.
type Options struct {
	Home       string // the state folder
	MaxClients int
	Drain      time.Duration // how long running turns may take when the host closes
	Dialects   map[string]Dialect
	// BytesPerSecond is how many are read from one connection; 0: there is no limit.
	BytesPerSecond int
	Audit          *audit.Log // nil: nothing is logged
	// Wait waits until nothing runs, or ctx has ended.
	Wait func(ctx context.Context)
	Log  *slog.Logger
}

// A Host accepts clients.
type Host struct {
	o       Options
	lock    *flock.Flock
	closing context.Context // until the host begins to close
	close   context.CancelFunc
	stop    chan struct{}
	serving sync.WaitGroup

	mu      lock.Mutex
	clients int
	conns   map[net.Conn]bool // whose preamble is not read yet
}

// Open makes this process the host of a state folder: there is one at a time.
func Open(o Options) (*Host, error) {
	folder := filepath.Join(o.Home, "run")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("folder of the host: %w", err)
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return nil, fmt.Errorf("folder of the host: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("folder of the host: %s is %s, and must be a folder that other users cannot use: run chmod 700", folder, info.Mode())
	}
	path := filepath.Join(folder, "host.lock")
	held := flock.New(path, flock.SetPermissions(0o600))
	locked, err := held.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock of the host: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("another host has the state folder %s", o.Home)
	}
	h := &Host{o: o, lock: held, stop: make(chan struct{}), conns: map[net.Conn]bool{}}
	h.closing, h.close = context.WithCancel(context.Background())
	return h, nil
}

// Clients returns how many are connected.
func (h *Host) Clients() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clients
}

// Serve accepts clients until the listener is closed.
func (h *Host) Serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many files, or the client is gone already
			h.o.Log.Error("connection not accepted", "error", err)
			<-time.After(acceptPause)
			continue
		}
		h.serving.Go(func() { h.serve(conn) })
	}
}

// acceptPause is how long nothing is accepted after an error.
const acceptPause = 50 * time.Millisecond

// serve speaks to one client. The client is greeted on another goroutine, which has the large stack that this needs: this one
// waits, maybe for hours, and its stack stays small.
func (h *Host) serve(conn net.Conn) {
	defer conn.Close()
	defer func() { h.recovered("", recover()) }()
	greeted := make(chan func())
	go func() {
		var speak func()
		defer func() {
			h.recovered("", recover())
			greeted <- speak
		}()
		speak = h.greet(conn)
	}()
	if speak := <-greeted; speak != nil {
		defer h.leave(conn)
		speak()
	}
}

// greet reads the preamble of a connection and answers it. It returns what speaks to the client, which is counted then; nil:
// the client is refused.
func (h *Host) greet(conn net.Conn) (speak func()) {
	unixConn, isUnix := conn.(*net.UnixConn)
	if !isUnix || !ours(conn) {
		h.o.Log.Warn("connection of another user refused")
		h.audit(conn, Preamble{}, "refused", "a process of another user")
		return nil
	}
	if err := h.enter(conn); err != nil {
		h.audit(conn, Preamble{}, "refused", err.Error())
		_ = writeLine(conn, answer{Error: err.Error()}) // the client is gone if not
		return nil
	}
	defer func() {
		if speak == nil {
			h.leave(conn)
		}
	}()
	first := &firstLine{conn: unixConn}
	defer first.close()
	lines := bufio.NewReaderSize(first, preambleSize)
	p, err := readPreamble(conn, lines)
	if err == nil && len(first.files) != 0 && len(first.files) != maxFiles {
		err = fmt.Errorf("%d files came with the preamble; stdin and stdout are %d", len(first.files), maxFiles)
	}
	h.mu.Lock()
	delete(h.conns, conn)
	h.mu.Unlock()
	switch {
	case errors.Is(err, errNoPreamble):
		_ = writeLine(conn, answer{Error: err.Error()})
		return nil
	case err != nil:
		h.audit(conn, Preamble{}, "refused", err.Error())
		_ = writeLine(conn, answer{Error: err.Error()})
		return nil
	case len(first.files) == 0:
		return h.beginDirect(conn, lines, p)
	default:
		r := &relayed{conn: conn, in: first.files[0], out: first.files[1], stop: make(chan struct{})}
		first.files = nil
		return h.beginRelayed(r, lines, p)
	}
}

// beginDirect answers the preamble of a client that is served on its connection.
func (h *Host) beginDirect(conn net.Conn, lines *bufio.Reader, p Preamble) (speak func()) {
	rest, _ := lines.Peek(lines.Buffered()) // it came with the preamble
	in := h.Limited(context.Background(), io.MultiReader(bytes.NewReader(rest), conn))
	serve := h.begin(conn, Conn{Preamble: p, In: in, Out: conn, Stop: h.stop})
	if serve == nil {
		return nil
	}
	return func() {
		_, _ = serve() // there is no process to end
		h.audit(conn, p, "disconnected", "")
	}
}

// beginRelayed answers the preamble of the client of a relay.
func (h *Host) beginRelayed(r *relayed, lines *bufio.Reader, p Preamble) (speak func()) {
	serve := h.begin(r.conn, Conn{Preamble: p, In: h.Limited(context.Background(), r.in), Out: r.out, Stop: r.stop, Signal: r.signal})
	if serve == nil {
		closeReceived(r.in)
		closeReceived(r.out)
		return nil
	}
	return func() {
		done := make(chan struct{})
		h.serving.Go(func() { r.watch(lines, h.stop, done) })
		code, err := serve()
		close(done)
		h.audit(r.conn, p, "disconnected", "")
		r.end(code, err)
	}
}

// begin answers a preamble and returns the server of the dialect; nil: it is refused.
func (h *Host) begin(conn net.Conn, c Conn) Serve {
	speak, err := h.Dialect(context.Background(), c)
	if err != nil {
		h.audit(conn, c.Preamble, "refused", err.Error())
		_ = writeLine(conn, answer{Error: err.Error()})
		return nil
	}
	if writeLine(conn, answer{OK: true}) != nil {
		return nil
	}
	h.audit(conn, c.Preamble, "connected", "")
	return speak
}

// enter counts a client of the socket, unless there are too many or the host closes.
func (h *Host) enter(conn net.Conn) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.count(); err != nil {
		return err
	}
	h.conns[conn] = true
	return nil
}

// count counts a client, unless there are too many or the host closes. The lock is held.
func (h *Host) count() error {
	switch {
	case h.isClosing():
		return ErrClosing
	case h.clients == h.o.MaxClients:
		return ErrFull
	}
	h.clients++
	return nil
}

func (h *Host) leave(conn net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clients--
	delete(h.conns, conn)
}

func (h *Host) isClosing() bool { return h.closing.Err() != nil }

// Close ends the host: no client comes any more, running turns may end for as long as Options.Drain, and then all
// connections end.
func (h *Host) Close(listeners ...net.Listener) error {
	h.mu.Lock()
	h.close()
	for conn := range h.conns {
		conn.Close()
	}
	h.mu.Unlock()
	var first error
	for _, l := range listeners {
		if err := l.Close(); err != nil && first == nil {
			first = err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), h.o.Drain)
	h.o.Wait(ctx)
	cancel()
	close(h.stop)
	h.serving.Wait()
	if err := h.lock.Unlock(); err != nil && first == nil {
		first = err
	}
	return first
}
