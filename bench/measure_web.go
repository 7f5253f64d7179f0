package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
)

// pageFiles is what a browser loads of the web console.
var pageFiles = []string{"/", "/app.css", "/app.js"}

// webs measures the page of the web console, and deltas over WebSocket.
func (b *bench) webs(s subject) error {
	p, err := newPlace(b.dir)
	if err != nil {
		return err
	}
	defer p.remove()
	return b.serving(p, s, func(a *agent) error {
		at, err := webOf(a)
		if err != nil {
			return err
		}
		for range b.size.prompts {
			took, size, err := at.load()
			if err != nil {
				return err
			}
			b.add(a, "web-page", took.Seconds())
			b.add(a, "web-bytes", float64(size))
		}
		return b.overWeb(a, at)
	}, "--web")
}

// overWeb measures deltas of a client at the Unix socket and of one over WebSocket.
func (b *bench) overWeb(a *agent, at web) error {
	local, err := a.place.connect()
	if err != nil {
		return err
	}
	defer local.close()
	remote, err := at.connect()
	if err != nil {
		return err
	}
	defer remote.close()
	both := []remoteClient{{"socket", local}, {"web", remote}}
	for _, c := range both {
		if err := c.create(a.place, c.name); err != nil {
			return err
		}
		if err := c.follow(c.name, `"text_delta"`); err != nil {
			return err
		}
		if _, err := b.turnOf(c, mock.Scenario{Deltas: 1, Every: time.Millisecond}); err != nil { // warm
			return err
		}
	}
	for range b.size.prompts {
		for _, c := range both {
			late, err := b.turnOf(c, mock.Scenario{First: slowFirst, Deltas: 1, Every: time.Millisecond})
			if err != nil {
				return err
			}
			b.add(a, c.name+"-first-delta", late...)
		}
	}
	for range b.size.beside {
		for _, c := range both {
			late, err := b.turnOf(c, mock.Scenario{Deltas: b.size.paced, Every: time.Millisecond})
			if err != nil {
				return err
			}
			b.add(a, c.name+"-delta-p50", late.At(0.5))
			b.add(a, c.name+"-delta-p99", late.At(0.99))
		}
	}
	return nil
}

// A remoteClient is a client with a session of its own, which is named like its figures.
type remoteClient struct {
	name string
	*hostClient
}

// turnOf prompts, and returns how late each delta of the turn came.
func (b *bench) turnOf(c remoteClient, s mock.Scenario) (late report.Sample, err error) {
	b.model.Play(s).Prepare()
	if _, err := c.ask("turn/prompt", prompt(c.name, fmt.Sprintf("p-%d", c.asked))); err != nil {
		return nil, err
	}
	_, _, err = c.until(turnEnded, func(line []byte, now time.Duration) {
		if text, some := modelTextOf(line); some {
			mock.Sent(text, func(sent time.Duration) { late = append(late, (now - sent).Seconds()) })
		}
	})
	if err == nil && len(late) != s.Deltas {
		err = fmt.Errorf("%d deltas came of %d over %s", len(late), s.Deltas, c.name)
	}
	return late, err
}

// A web is where a host serves browsers.
type web struct{ address, token string }

// webOf returns it, as the line of a host that is ready has it.
func webOf(a *agent) (w web, err error) {
	var ready struct {
		URLs      []string `json:"urls"`
		TokenFile string   `json:"token_file"`
	}
	if err := json.Unmarshal(a.first, &ready); err != nil || len(ready.URLs) == 0 {
		return web{}, fmt.Errorf("the host serves no browsers: %w, %s", err, a.first)
	}
	token, err := os.ReadFile(ready.TokenFile)
	return web{strings.TrimSuffix(ready.URLs[0], "/"), string(bytes.TrimSpace(token))}, err
}

// load loads the page as a browser does that has nothing of it, and returns how many bytes came.
func (w web) load() (took time.Duration, size int64, err error) {
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: patience}
	begin := mock.Now()
	for _, name := range pageFiles {
		request, err := http.NewRequest(http.MethodGet, w.address+name, nil)
		if err != nil {
			return 0, 0, err
		}
		request.Header.Set("Accept-Encoding", "gzip")
		answer, err := client.Do(request)
		if err != nil {
			return 0, 0, err
		}
		n, err := io.Copy(io.Discard, answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			return 0, 0, err
		}
		if answer.StatusCode != http.StatusOK {
			return 0, 0, fmt.Errorf("%s is answered with %s", name, answer.Status)
		}
		size += n
	}
	return mock.Now() - begin, size, nil
}

// connect returns a new client over WebSocket.
func (w web) connect() (*hostClient, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, w.address+"/v1/native", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + w.token}}, Subprotocols: []string{"parley.v1"},
	})
	if err != nil {
		return nil, fmt.Errorf("connect to the host: %w", err)
	}
	conn.SetReadLimit(-1)
	return (&hostClient{lines: &webLines{conn: conn}}).initialized(nil)
}

// webLines are lines over WebSocket, each a message.
type webLines struct {
	conn  *websocket.Conn
	until time.Time
}

func (w *webLines) write(line string) error {
	return w.conn.Write(context.Background(), websocket.MessageText, []byte(line))
}

func (w *webLines) line() ([]byte, time.Duration, error) {
	ctx, cancel := context.WithDeadline(context.Background(), w.until)
	defer cancel()
	_, line, err := w.conn.Read(ctx)
	return line, mock.Now(), err
}

func (w *webLines) SetReadDeadline(t time.Time) error { w.until = t; return nil }

func (w *webLines) Close() error { return w.conn.CloseNow() }
