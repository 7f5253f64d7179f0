//go:build linux

package soak

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
)

// A host is a running "parley serve".
type host struct {
	t       testing.TB
	place   *stage.Place
	process *stage.Process
	token   string

	Socket    string   `json:"socket"`
	URLs      []string `json:"urls"`
	TokenFile string   `json:"token_file"`
}

// serve starts a host in a place, with a model of that pace, and waits until clients can connect.
func serve(t testing.TB, p *stage.Place, speed pace) *host {
	t.Helper()
	_, env := model(t, speed).Settings()
	p.Model = modelName
	p.Env = append(p.Env, env...)
	h := &host{t: t, place: p, process: stage.Launch(t, p.Command(t, "serve", "--json", "--listen", "127.0.0.1:0", "--max-clients", strconv.Itoa(2*wave)))}
	line, err := bufio.NewReader(h.process.Stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, h)
	}
	var token []byte
	if err == nil {
		token, err = os.ReadFile(h.TokenFile)
	}
	if err != nil {
		t.Fatalf("the host does not start: %v; %s", err, h.process.Stderr)
	}
	h.token = strings.TrimSpace(string(token))
	return h
}

// lines are what a client sends that follows a session from its first record.
func lines(session string) []string {
	return []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"cut"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/open","params":{"session":"` + session + `"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/follow","params":{"session":"` + session + `","from":1,"transient":["text_delta","tool_output"]}}`,
		`{"jsonrpc":"2.0","id":4,"method":"session/state","params":{"session":"` + session + `"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"session/records","params":{"session":"` + session + `","from":1}}`,
	}
}

// unixText is what a client of the Unix socket sends, to its last byte.
func unixText() string {
	return `{"parley":1,"dialect":"native"}` + "\n" + strings.Join(lines(session), "\n") + "\n"
}

// webText is what a client of the network sends: the handshake and a frame for each line.
func (h *host) webText() string {
	var text strings.Builder
	fmt.Fprintf(&text, "GET /v1/native HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer %s\r\n\r\n", h.address(), h.token)
	for _, line := range lines(session) {
		const final, masked, long = 0x81, 0x80, 126
		text.Write(binary.BigEndian.AppendUint16([]byte{final, masked | long}, uint16(len(line)))) //nolint:gosec // lines are short
		text.WriteString("\x00\x00\x00\x00" + line)                                                // a mask that changes nothing
	}
	return text.String()
}

func (h *host) address() string { return strings.TrimPrefix(h.URLs[0], "http://") }

// wave opens the connections, has each send a part of what a client sends, and when all have cuts them. The same number
// gives the same wave.
func (h *host) wave(number int) {
	h.t.Helper()
	cut := make(chan struct{})
	problems := make(chan error, wave)
	var sent, ended sync.WaitGroup
	web := h.webText()
	for i := range wave {
		sent.Add(1)
		ended.Go(func() {
			random := rand.New(rand.NewPCG(uint64(number), uint64(i)))
			network, address, text := "unix", h.Socket, unixText()
			if i%2 == 1 {
				network, address, text = "tcp", h.address(), web
			}
			conn, err := net.Dial(network, address)
			if err == nil {
				defer conn.Close()
				err = conn.SetDeadline(time.Now().Add(stage.Patience))
			}
			if err == nil {
				_, err = io.WriteString(conn, text[:part(random, len(text))])
			}
			sent.Done()
			if err != nil {
				problems <- err
				return
			}
			<-cut
			if err := leave(random, conn); err != nil {
				problems <- err
			}
		})
	}
	sent.Wait()
	close(cut)
	ended.Wait()
	select {
	case err := <-problems:
		h.t.Fatalf("wave %d: %v; %s", number, err, h.process.Stderr)
	default:
	}
}

// part returns how many bytes are sent: all, every third time.
func part(random *rand.Rand, all int) int {
	if random.IntN(3) == 0 {
		return all
	}
	return random.IntN(all)
}

// leave ends a connection: at once, after some of what the host has sent, or after its end, which follows the end of the input.
func leave(random *rand.Rand, conn net.Conn) error {
	switch random.IntN(4) {
	case 0:
		if tcp, ok := conn.(*net.TCPConn); ok {
			return tcp.SetLinger(0) // with a reset
		}
	case 1:
		_, _ = conn.Read(make([]byte, random.IntN(4000)+1)) // the host may have ended it
	case 2:
		if err := conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, conn); os.IsTimeout(err) {
			return fmt.Errorf("after the end of its input a connection goes on: %w", err)
		}
	}
	return nil
}

// A remnant is what a host has.
type remnant struct{ clients, goroutines, files int }

// settled waits until the only clients are those of the session, and the numbers do not fall any more.
func (h *host) settled() (r remnant) {
	h.t.Helper()
	ticks := time.NewTicker(50 * time.Millisecond)
	defer ticks.Stop()
	deadline := time.Now().Add(stage.Patience)
	r.goroutines, r.files = 1<<30, 1<<30
	for quiet := 0; quiet < 40; quiet++ {
		<-ticks.C
		now := h.remnant()
		if time.Now().After(deadline) {
			h.t.Fatalf("connections are left: %+v", now)
		}
		if now.clients > ofSession || now.goroutines < r.goroutines || now.files < r.files {
			quiet = 0
		}
		r = remnant{now.clients, min(r.goroutines, now.goroutines), min(r.files, now.files)}
	}
	return r
}

// remnant returns what the host has now.
func (h *host) remnant() (r remnant) {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.URLs[0]+"/metrics", http.NoBody)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	found := 0
	for text := bufio.NewScanner(resp.Body); text.Scan(); {
		name, value, _ := strings.Cut(text.Text(), " ")
		for want, into := range map[string]*int{"parley_clients": &r.clients, "parley_goroutines": &r.goroutines} {
			if n, err := strconv.Atoi(value); name == want && err == nil {
				*into = n
				found++
			}
		}
	}
	if found != 2 {
		h.t.Fatalf("metrics: %s, %d of 2", resp.Status, found)
	}
	r.files = stage.Descriptors(h.process.Cmd.Process.Pid)
	return r
}
