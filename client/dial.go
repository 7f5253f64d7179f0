package client

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
)

// Options are how a client connects.
type Options struct {
	Name    string // how others see the client; "": go
	Version string // of the program; "": none
	Token   string // for ws:// and wss://
	// Patience is how long a lost connection is tried again before requests fail; 0: a minute.
	Patience time.Duration
	// Status is called when the connection is lost, with an error, again with each attempt to make it anew that fails, and
	// with nil when it is there again; nil: it is not called. It must return soon, and call no method of the client. A connection is
	// made anew when something needs it: a request, [Session.Follow] or [Client.Watch].
	Status func(error)
}

// Dial connects to a host: at unix:PATH, or at ws://HOST:PORT or wss://HOST:PORT with Options.Token. ctx is for the first
// connection only.
func Dial(ctx context.Context, address string, o Options) (*Client, error) {
	switch scheme, rest, _ := strings.Cut(address, ":"); scheme {
	case "unix":
		return open(ctx, o, func(ctx context.Context) (lines, error) { return dialUnix(ctx, rest) })
	case "ws", "wss":
		return open(ctx, o, func(ctx context.Context) (lines, error) { return dialWeb(ctx, address, o.Token) })
	}
	return nil, fmt.Errorf("address %q is none of unix:PATH, ws://… and wss://…", address)
}

// SpawnOptions are how a process is started.
type SpawnOptions struct {
	Options
	Program string   // "": parley
	Args    []string // after rpc
	Dir     string   // "": that of this process
	Env     []string // nil: that of this process
	// Sys is how the operating system starts the process, such as in a process group of its own, which keeps the signals of
	// a terminal from it; nil: as exec.Cmd does.
	Sys    *syscall.SysProcAttr
	Stderr io.Writer // nil: that of this process
}

// Spawn starts parley rpc and connects to it. A process that ends is started again; its sessions are as it left them.
// Close ends it: running turns come to their end first.
func Spawn(ctx context.Context, o SpawnOptions) (*Client, error) {
	return open(ctx, o.Options, func(context.Context) (lines, error) { return spawn(o) })
}

// lines carry one JSON value each. One goroutine reads, several may write.
type lines interface {
	read() ([]byte, error)
	write(line []byte) error // without LF
	close() error
}

// A stream is lines that end with LF.
type stream struct {
	in   *bufio.Reader
	out  io.Writer
	stop func() error
}

func (s *stream) read() ([]byte, error) {
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	return line[:len(line)-1], nil
}

func (s *stream) write(line []byte) error {
	_, err := s.out.Write(append(line, '\n'))
	return err
}

func (s *stream) close() error { return s.stop() }

// dialUnix connects to the socket of a host and sends the preamble.
func dialUnix(ctx context.Context, path string) (lines, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	s := &stream{bufio.NewReader(conn), conn, conn.Close}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var answer struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	err = s.write([]byte(`{"parley":1,"dialect":"native"}`))
	if err == nil {
		var line []byte
		if line, err = s.read(); err == nil {
			err = json.Unmarshal(line, &answer)
		}
	}
	switch {
	case err != nil:
	case !answer.OK:
		err = fmt.Errorf("the host refuses: %s", answer.Error)
	default:
		return s, nil
	}
	conn.Close()
	return nil, err
}

// spawn starts the program.
func spawn(o SpawnOptions) (lines, error) {
	program := o.Program
	if program == "" {
		program = "parley"
	}
	cmd := exec.Command(program, append([]string{"rpc"}, o.Args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.SysProcAttr = o.Dir, o.Env, o.Stderr, o.Sys
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &stream{bufio.NewReader(out), in, func() error {
		err := in.Close()
		_, _ = io.Copy(io.Discard, out) // until it has ended
		return errors.Join(err, cmd.Wait())
	}}, nil
}

// A socket is a connection over WebSocket.
type socket struct{ conn *websocket.Conn }

// dialWeb connects to a host over the network.
func dialWeb(ctx context.Context, address, token string) (lines, error) {
	conn, resp, err := websocket.Dial(ctx, strings.TrimSuffix(address, "/")+"/v1/native", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}, Subprotocols: []string{"parley.v1"},
	})
	if err != nil && resp != nil && resp.StatusCode >= http.StatusBadRequest {
		reason, _ := io.ReadAll(resp.Body) // its beginning, which Dial has read
		return nil, fmt.Errorf("the host refuses the connection: %s", cmp.Or(strings.TrimSpace(string(reason)), resp.Status))
	}
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(-1)
	return socket{conn}, nil
}

func (s socket) read() ([]byte, error) {
	_, data, err := s.conn.Read(context.Background())
	return data, err
}

func (s socket) write(line []byte) error {
	return s.conn.Write(context.Background(), websocket.MessageText, line)
}

func (s socket) close() error { return s.conn.CloseNow() }
