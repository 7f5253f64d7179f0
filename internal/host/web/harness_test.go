package web

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/token"
)

// pipes is a listener in memory.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

var loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000}

func (p *pipes) Addr() net.Addr { return loopback }

// A named pipe has addresses.
type named struct {
	net.Conn
	remote net.Addr
}

func (n named) LocalAddr() net.Addr  { return loopback }
func (n named) RemoteAddr() net.Addr { return n.remote }

// dial connects from an address.
func (p *pipes) dial(from string) (net.Conn, error) {
	a, b := net.Pipe()
	select {
	case p.conns <- named{b, &net.TCPAddr{IP: net.ParseIP(from), Port: 5000}}:
		return a, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// A server of a test, with a dialect that sends back each line.
type bench struct {
	t      testing.TB
	host   *host.Host
	server *Server
	tokens *token.Store
	pipes  *pipes
	secret string // of an owner
	info   token.Info
	home   string        // state folder
	drain  chan struct{} // what runs ends when it is closed

	closeHost func()
}

func echo(_ context.Context, c host.Conn) (host.Serve, error) {
	return func() (int, error) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			lines := bufio.NewReader(c.In)
			for {
				line, err := lines.ReadBytes('\n')
				if err != nil {
					return
				}
				if _, err := c.Out.Write(line); err != nil {
					return
				}
			}
		}()
		select {
		case <-ended:
		case <-c.Stop:
		}
		return 0, nil
	}, nil
}

// late reads lines until its input ends or it is stopped, and then sends the number of its signal and ends with an error.
func late(_ context.Context, c host.Conn) (host.Serve, error) {
	if len(c.Args) > 0 {
		return nil, errors.New("there is no option " + c.Args[0])
	}
	return func() (int, error) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = io.Copy(io.Discard, c.In)
		}()
		select {
		case <-ended:
			fmt.Fprintln(c.Out, "ended")
		case <-c.Stop:
		}
		<-c.Stop
		signal, _ := c.Signal().(syscall.Signal)
		fmt.Fprintln(c.Out, int(signal))
		return 3, errors.New("it was late " + strings.Repeat("and ", 50))
	}, nil
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{t: t, pipes: &pipes{conns: make(chan net.Conn), done: make(chan struct{})}, drain: make(chan struct{})}
	log := slog.New(slog.DiscardHandler)
	home := t.TempDir()
	var err error
	b.host, err = host.Open(host.Options{
		Home: home, MaxClients: 3, Drain: time.Minute, Log: log, Dialects: map[string]host.Dialect{"native": echo, "other": echo, "late": late},
		Wait: func(ctx context.Context) {
			select {
			case <-b.drain:
			case <-ctx.Done():
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if b.tokens, err = token.Open(token.Path(home)); err != nil {
		t.Fatal(err)
	}
	b.info, b.secret = b.token(token.Info{Role: "owner"})
	b.home = home
	b.server, err = New(Options{
		Host: b.host, Tokens: b.tokens, Owner: b.info.ID, Browsers: BrowserPath(home), Page: true, Sessions: func() int { return 7 }, Version: "0", MaxClients: 3, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.server.Serve(b.pipes); err != nil {
		t.Fatal(err)
	}
	b.closeHost = sync.OnceFunc(func() {
		if err := b.host.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(b.close)
	return b
}

func (b *bench) close() {
	select {
	case <-b.drain:
	default:
		close(b.drain)
	}
	b.closeHost()
	if err := b.server.Close(); err != nil {
		b.t.Error(err)
	}
	b.tokens.Close()
}

func (b *bench) token(info token.Info) (token.Info, string) {
	b.t.Helper()
	info, secret, err := b.tokens.CreateTemporary(info)
	if err != nil {
		b.t.Fatal(err)
	}
	return info, secret
}

// A request of a test.
type request struct {
	path, from, host string
	header           http.Header
	body             string // "": the request is a GET
	method           string // "": GET or POST
}

func bearing(secret string) http.Header { return http.Header{"Authorization": {"Bearer " + secret}} }

func (b *bench) client(from string) (*http.Client, *http.Transport) {
	if from == "" {
		from = "127.0.0.1"
	}
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return b.pipes.dial(from) }}
	return &http.Client{Transport: transport}, transport
}

// get returns the status, headers and body of an answer. Upgrades are asked for at /v1/.
func (b *bench) get(r request) (int, http.Header, string) {
	b.t.Helper()
	client, transport := b.client(r.from)
	defer transport.CloseIdleConnections()
	method := cmp.Or(r.method, http.MethodGet)
	if r.body != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequest(method, "http://127.0.0.1:4000"+r.path, strings.NewReader(r.body))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}}
	if r.body != "" {
		req.Header = http.Header{"Content-Type": {"application/json"}}
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	if r.host != "" {
		req.Host = r.host
	}
	resp, err := client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp.StatusCode, resp.Header, ""
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

// dial opens a WebSocket connection.
func (b *bench) dial(path, secret string) *websocket.Conn {
	b.t.Helper()
	return b.dialWith(path, bearing(secret))
}

// dialWith is dial with any header.
func (b *bench) dialWith(path string, header http.Header) *websocket.Conn {
	b.t.Helper()
	client, transport := b.client("")
	b.t.Cleanup(transport.CloseIdleConnections)
	ws, _, err := websocket.Dial(b.t.Context(), "ws://127.0.0.1:4000"+path, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: header, Subprotocols: []string{Subprotocol},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if ws.Subprotocol() != Subprotocol {
		b.t.Errorf("subprotocol %q", ws.Subprotocol())
	}
	ws.SetReadLimit(-1)
	return ws
}

func sendText(t testing.TB, ws *websocket.Conn, text string) {
	t.Helper()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func receive(t testing.TB, ws *websocket.Conn) string {
	t.Helper()
	kind, data, err := ws.Read(t.Context())
	if err != nil || kind != websocket.MessageText {
		t.Fatalf("%v, %v", kind, err)
	}
	return string(data)
}

// raw opens a WebSocket connection and reads what it is sent, without understanding it. The channel is closed at the end.
func (b *bench) raw() (net.Conn, <-chan struct{}) {
	b.t.Helper()
	conn := b.handshake("/v1/native")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, conn)
	}()
	return conn, ended
}

// handshake opens a WebSocket connection and reads nothing of it.
func (b *bench) handshake(path string) net.Conn {
	b.t.Helper()
	conn, err := b.pipes.dial("127.0.0.1")
	if err != nil {
		b.t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\n"+
		"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", path, b.secret)
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		b.t.Fatalf("%v, %v", resp, err)
	}
	return conn
}
