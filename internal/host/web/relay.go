package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/text"
)

// A Relay lets a host on the network serve a client: it copies lines both ways.
type Relay struct {
	Address  string // as ParseAddress takes it
	Token    string
	Preamble host.Preamble // of which the dialect, cwd and args reach the host
	In       io.Reader
	Out      io.Writer
	// Stop asks the host to end the connection; Signal says why.
	Stop   <-chan struct{}
	Signal func() os.Signal
}

// Run relays until the connection ends, and returns the exit code. The end of ctx is that of the client, which reads no
// more. A *host.RefusedError says why the host does not serve the client; another error, that there is no host, that it
// does not let the client in, that it has ended, or what it reports.
func (r Relay) Run(ctx context.Context) (code int, err error) {
	ws, err := r.dial(ctx)
	if err != nil {
		return 0, err
	}
	ws.SetReadLimit(-1)
	to := &remote{ws: ws}
	var working sync.WaitGroup
	defer working.Wait()
	defer func() { _ = ws.CloseNow() }()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	working.Go(func() { to.watch(running) })
	working.Go(func() { to.passStop(running, r.Stop, r.Signal) })
	go to.send(running, r.In) // reads until the process ends: a read of stdin cannot be ended
	err = to.receive(running, r.Out)
	if ctx.Err() != nil || errors.Is(err, errClientGone) {
		return 1, nil
	}
	return endOf(err)
}

// endOf returns what the end of a connection says.
func endOf(err error) (code int, problem error) {
	closed, ok := errors.AsType[websocket.CloseError](err)
	if !ok {
		return 0, host.ErrEnded
	}
	var e exit
	switch {
	case closed.Code != websocket.StatusNormalClosure:
		return 0, fmt.Errorf("the host has ended the connection: %s", text.Printable(closed.Reason))
	case json.Unmarshal([]byte(closed.Reason), &e) != nil:
		return 0, host.ErrEnded
	case e.Error != "":
		return e.Exit, errors.New(text.Printable(e.Error))
	}
	return e.Exit, nil
}

// A remote is the host of a relay, at the other end of its connection.
type remote struct {
	pulse
	ws      *websocket.Conn
	sending atomic.Bool // a line is being sent
}

var errClientGone = errors.New("the client does not read any more")

// receive copies messages as lines until the connection ends. The error reports how.
func (r *remote) receive(ctx context.Context, to io.Writer) error {
	r.seen()
	out := bufio.NewWriterSize(to, copySize)
	for {
		done := r.listenForPeer()
		kind, message, err := r.ws.Reader(ctx)
		r.seen()
		done()
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			return errors.New("a message of the host is no text")
		}
		if err := copyLine(out, message); err != nil {
			return err
		}
	}
}

// copyLine writes a message as a line.
func copyLine(out *bufio.Writer, message io.Reader) error {
	read := &source{from: message}
	_, err := io.Copy(out, read)
	if read.err != nil {
		return read.err
	}
	if err == nil {
		err = out.WriteByte('\n')
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return errClientGone
	}
	return nil
}

// A source is a reader that notes its error.
type source struct {
	from io.Reader
	err  error
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // as io.Copy has it
		s.err = err
	}
	return n, err
}

const (
	copySize = 64 << 10
	stopWait = 2 * time.Second // for the host to be asked for the end
)

// send copies lines as messages, and then the end of the input. What fails is noticed by receive.
func (r *remote) send(ctx context.Context, from io.Reader) {
	in := bufio.NewReaderSize(from, copySize)
	for {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			err = r.sendLong(ctx, line, in)
		case err == nil:
			err = r.sendLine(ctx, line[:len(line)-1])
		case len(line) > 0: // the last one
			if r.sendLine(ctx, line) != nil {
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			_ = r.ws.Write(ctx, websocket.MessageBinary, control{End: true}.bytes())
			return
		case err != nil:
			return
		}
	}
}

// sendLine sends a line.
func (r *remote) sendLine(ctx context.Context, line []byte) error {
	r.sending.Store(true)
	defer r.sending.Store(false)
	return r.ws.Write(ctx, websocket.MessageText, line)
}

// sendLong sends a line that is longer than the buffer in pieces, the first of which was read. Its end may be that of
// the input.
func (r *remote) sendLong(ctx context.Context, piece []byte, in *bufio.Reader) error {
	r.sending.Store(true)
	defer r.sending.Store(false)
	w, err := r.ws.Writer(ctx, websocket.MessageText)
	for more := true; err == nil && more; {
		if _, err = w.Write(piece); err != nil {
			return err
		}
		var readErr error
		piece, readErr = in.ReadSlice('\n')
		switch {
		case errors.Is(readErr, bufio.ErrBufferFull):
		case readErr == nil:
			piece, more = piece[:len(piece)-1], false
		default: // the next read says so again
			more = false
		}
	}
	if err != nil {
		return err
	}
	if _, err := w.Write(piece); err != nil {
		return err
	}
	return w.Close()
}

// passStop sends the host a signal that asks for the end. If that is not possible, since a line is being sent that does
// not end, the connection ends.
func (r *remote) passStop(ctx context.Context, stop <-chan struct{}, signal func() os.Signal) {
	select {
	case <-stop:
	case <-ctx.Done():
		return
	}
	number, _ := signal().(syscall.Signal)
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	if r.ws.Write(ctx, websocket.MessageBinary, control{Stop: int(number)}.bytes()) != nil {
		_ = r.ws.CloseNow()
	}
}

// watch sends pings, which show the host that the client is there even if it does not read, and ends the connection when
// the host is silent.
func (r *remote) watch(ctx context.Context) {
	ticks := time.NewTicker(pingEvery)
	defer ticks.Stop()
	var pings sync.WaitGroup
	defer pings.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if r.silence() >= silenceWait {
			_ = r.ws.CloseNow()
			return
		}
		if r.sending.Load() {
			continue // a ping that cannot be sent would end the connection
		}
		pings.Go(func() {
			waiting, cancel := context.WithTimeout(ctx, silenceWait)
			defer cancel()
			_ = r.ws.Ping(waiting)
		})
	}
}
