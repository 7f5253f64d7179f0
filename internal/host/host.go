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
	// End ends what still runs, and all sessions, when the host closes; nil: their connections do it.
	End func(ctx context.Context) error
	Log *slog.Logger
}

// A Host accepts clients.
type Host struct {
	o       Options
	lock    *flock.Flock
	closing context.Context // until the host begins to close
	close   context.CancelFunc
	stop    chan struct{}
	serving sync.WaitGroup

	mu       lock.Mutex
	clients  int
	refusing int               // clients that are too many, whose preambles are being read
	conns    map[net.Conn]bool // whose preamble is not read yet
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
	held, locked, err := tryLock(o.Home)
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, errOther(o.Home)
	}
	if err := writeHolder(o.Home); err != nil {
		return nil, errors.Join(err, held.Unlock())
	}
	h := &Host{o: o, lock: held, stop: make(chan struct{}), conns: map[net.Conn]bool{}}
	h.closing, h.close = context.WithCancel(context.Background())
	return h, nil
}

// errOther returns the error of a process that is not the only host of a state folder.
func errOther(home string) error {
	if pid := lockHolder(home); pid != 0 {
		return fmt.Errorf("another host (process %d) has the state folder %s", pid, home)
	}
	return fmt.Errorf("another host has the state folder %s", home)
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
		defer h.leave(conn, nil)
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
	read, why := h.enter(conn)
	if !read {
		h.refuse(conn, Preamble{}, why)
		return nil
	}
	defer func() {
		if speak == nil {
			h.leave(conn, why)
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
		h.refuse(conn, Preamble{}, err)
		return nil
	case why != nil: // now, since the client's write of its preamble could fail otherwise, and the client would not learn why
		h.refuse(conn, p, why)
		return nil
	case len(first.files) == 0:
		return h.beginDirect(conn, lines, p)
	default:
		r := &relayed{conn: conn, in: first.files[0], out: first.files[1], stop: make(chan struct{})}
		first.files, first.read = nil, true
		return h.beginRelayed(r, lines, p)
	}
}

// refuse answers a preamble with the reason why the client is not served.
func (h *Host) refuse(conn net.Conn, p Preamble, why error) {
	h.audit(conn, p, "refused", why.Error())
	_ = writeLine(conn, answer{Error: why.Error(), Full: errors.Is(why, ErrFull)}) // the client is gone if not
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
		h.refuse(conn, c.Preamble, err)
		return nil
	}
	if writeLine(conn, answer{OK: true}) != nil {
		return nil
	}
	h.audit(conn, c.Preamble, "connected", "")
	return speak
}

// enter counts a client of the socket. If there are too many its preamble is read all the same, before it is refused with the
// error; read is false if the host closes, or if it reads the preambles of many such clients.
func (h *Host) enter(conn net.Conn) (read bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	err = h.count()
	if errors.Is(err, ErrClosing) || err != nil && h.refusing == maxRefusing {
		return false, err
	}
	if err != nil {
		h.refusing++
	}
	h.conns[conn] = true
	return true, err
}

// maxRefusing is how many preambles of clients that will be refused are read at once.
const maxRefusing = 100

// count counts a client, unless there are too many or the host closes. The lock is held.
func (h *Host) count() error {
	switch {
	case h.isClosing():
		return ErrClosing
	case h.clients == h.o.MaxClients:
		return fmt.Errorf("%w (%d; --max-clients)", ErrFull, h.o.MaxClients)
	}
	h.clients++
	return nil
}

// leave ends what enter began, with its error.
func (h *Host) leave(conn net.Conn, refused error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if refused != nil {
		h.refusing--
	} else {
		h.clients--
	}
	delete(h.conns, conn)
}

func (h *Host) isClosing() bool { return h.closing.Err() != nil }

// Close ends the host: no client comes any more, running turns may end for as long as Options.Drain, and then all sessions and
// all connections end. Sessions end first: a connection is sent all that there is of its sessions before it ends, so that each
// client gets the end of its turn and the reason.
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
	if h.o.End != nil {
		if err := h.o.End(context.Background()); err != nil && first == nil {
			first = err
		}
	}
	close(h.stop)
	h.serving.Wait()
	return first
}

// Release gives the state folder up, after Close. The end of the process does so, too; parley host stop waits for it.
func (h *Host) Release() error { return h.lock.Unlock() }
