package web

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"parley.dev/parley/internal/host/token"
	"parley.dev/parley/internal/racetest"
)

// TestAuthentication: nothing but a valid token in the header gets in.
func TestAuthentication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		revoked, revokedSecret := b.token(token.Info{Role: "owner"})
		if err := b.tokens.Revoke(revoked.ID); err != nil {
			t.Fatal(err)
		}
		_, expired := b.token(token.Info{Role: "owner", Expires: time.Now().Add(time.Minute)})
		time.Sleep(time.Minute)
		for name, c := range map[string]struct {
			header http.Header
			query  string
			want   int
		}{
			"none":       {nil, "", 401},
			"wrong":      {bearing("parley_wrong"), "", 401},
			"revoked":    {bearing(revokedSecret), "", 401},
			"expired":    {bearing(expired), "", 401},
			"the id":     {bearing(b.info.ID), "", 401},
			"Basic":      {http.Header{"Authorization": {"Basic " + b.secret}}, "", 401},
			"two":        {http.Header{"Authorization": {"Bearer x", "Bearer " + b.secret}}, "", 401},
			"in address": {nil, "?token=" + b.secret, 401},
			"cookie":     {http.Header{"Cookie": {"token=" + b.secret}}, "", 401},
			"valid":      {bearing(b.secret), "", 101},
			"lower case": {http.Header{"Authorization": {"bearer " + b.secret}}, "", 101},
		} {
			b.server.failures = newFailures()
			if got, _, body := b.get(request{path: "/v1/native" + c.query, header: c.header}); got != c.want {
				t.Errorf("%s: %d %s, want %d", name, got, body, c.want)
			}
		}
	})
}

// TestPaths: what is at each path, and for which clients.
func TestPaths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for _, c := range []struct {
			path, secret string
			want         int
		}{
			{"/healthz", "", 200},
			{"/readyz", "", 200},
			{"/metrics", "", 401},
			{"/metrics", b.secret, 200},
			{"/", "", 200},
			{"/app.js", "", 200},
			{"/v1/me", "", 401},
			{"/v1/me", b.secret, 200},
			{"/index.html", b.secret, 404},
			{"/page/index.html", b.secret, 404},
			{"/v1/link", b.secret, 404},
			{"/v1/signin", "", 404},
			{"/v1/", b.secret, 404},
			{"/v1/unknown", b.secret, 404},
			{"/v1/native/more", b.secret, 404},
			{"/v1/native", b.secret, 101},
			{"/v1/native?cwd=/", b.secret, 400},
			{"/v1/other", b.secret, 101},
			{"/v1/other?cwd=/w&args=%5B%22-x%22%5D", b.secret, 101},
			{"/v1/other?cwd=w", b.secret, 400},
			{"/v1/other?cwd=/w&cwd=/x", b.secret, 400},
			{"/v1/other?args=-x", b.secret, 400},
			{"/v1/other?args=%5B1%5D", b.secret, 400},
			{"/v1/other?args=null", b.secret, 400},
			{"/v1/other?env=%7B%7D", b.secret, 400},
			{"/v1/other?token=" + b.secret, b.secret, 400},
			{"/v1/other?cwd=/%00", b.secret, 400},
			{"/v1/other?cwd=%zz", b.secret, 400},
		} {
			var header http.Header
			if c.secret != "" {
				header = bearing(c.secret)
			}
			got, h, body := b.get(request{path: c.path, header: header})
			if got != c.want {
				t.Errorf("%s: %d %s, want %d", c.path, got, body, c.want)
			}
			if got != 101 && (!strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") || strings.Contains(h.Get("Content-Security-Policy"), "unsafe")) {
				t.Errorf("%s: policy %q", c.path, h.Get("Content-Security-Policy"))
			}
			synctest.Wait() // the connection has ended
		}
		_, _, text := b.get(request{path: "/metrics", header: bearing(b.secret)})
		for _, want := range []string{"parley_sessions 7\n", "parley_clients ", `parley_http_refused_total{reason="token"} 1` + "\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %s", want, text)
			}
		}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "parley_") && !strings.HasPrefix(line, "# TYPE parley_") {
				t.Errorf("metrics: %s", line)
			}
		}
	})
}

// TestRebinding: a request whose Host is not a name of the server is refused, also with a valid token.
func TestRebinding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for host, want := range map[string]int{
			"127.0.0.1:4000": 101, "127.0.0.1": 101, "localhost:4000": 101, "LOCALHOST": 101, "[::1]:4000": 101, "127.9.9.9:1": 101,
			"evil.example": 403, "evil.example:4000": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "10.0.0.1:4000": 403,
			"localhost.": 403, "0.0.0.0:4000": 403, "[::ffff:10.0.0.1]": 403,
		} {
			for _, path := range []string{"/v1/native", "/healthz"} {
				want := want
				if want == 101 && path == "/healthz" {
					want = 200
				}
				if got, _, body := b.get(request{path: path, host: host, header: bearing(b.secret)}); got != want {
					t.Errorf("%s at %s: %d %s, want %d", path, host, got, body, want)
				}
				synctest.Wait()
			}
		}
	})
}

// TestForeignPage: a page of another origin is refused, also with a valid token.
func TestForeignPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for origin, want := range map[string]int{
			"http://127.0.0.1:4000": 101, "http://127.0.0.1": 403, "https://127.0.0.1:4000": 403, "http://localhost:4000": 403,
			"http://127.0.0.1:4001": 403, "null": 403, "": 403, "http://evil.example": 403, "http://127.0.0.1:4000.evil.example": 403, "http://user@evil.example:4000": 403, "://": 403,
		} {
			header := bearing(b.secret)
			header["Origin"] = []string{origin}
			if got, _, body := b.get(request{path: "/v1/native", header: header}); got != want {
				t.Errorf("%q: %d %s, want %d", origin, got, body, want)
			}
			synctest.Wait()
		}
	})
}

// TestDialectNeedsDriver: dialects that know no roles are for tokens that may prompt, and are not limited to sessions.
func TestDialectNeedsDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for _, c := range []struct {
			info token.Info
			want int
		}{
			{token.Info{Role: "owner"}, 101},
			{token.Info{Role: "driver"}, 101},
			{token.Info{Role: "reviewer"}, 403},
			{token.Info{Role: "viewer"}, 403},
			{token.Info{Role: "owner", Scope: token.Scope{Sessions: []string{"s"}}}, 403},
			{token.Info{Role: "owner", Scope: token.Scope{Workspace: "/w"}}, 101},
		} {
			_, secret := b.token(c.info)
			if got, _, body := b.get(request{path: "/v1/other", header: bearing(secret)}); got != c.want {
				t.Errorf("%+v: %d %s, want %d", c.info, got, body, c.want)
			}
			if got, _, body := b.get(request{path: "/v1/native", header: bearing(secret)}); got != 101 {
				t.Errorf("%+v: native %d %s", c.info, got, body)
			}
			synctest.Wait()
		}
	})
}

// TestFailuresAreSlowed: after five failures in a minute an address has to wait; good tokens and others do not.
func TestFailuresAreSlowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		try := func(from, secret string) int {
			code, _, _ := b.get(request{path: "/metrics", from: from, header: bearing(secret)})
			return code
		}
		for n, want := range []int{401, 401, 401, 401, 401, 429, 429} {
			if got := try("10.0.0.1", "wrong"); got != want {
				t.Errorf("failure %d: %d, want %d", n+1, got, want)
			}
		}
		if got := try("10.0.0.1", b.secret); got != 200 {
			t.Errorf("a good token: %d", got)
		}
		if got := try("10.0.0.2", "wrong"); got != 401 {
			t.Errorf("another address: %d", got)
		}
		time.Sleep(time.Minute)
		if got := try("10.0.0.1", "wrong"); got != 401 {
			t.Errorf("a minute later: %d", got)
		}
	})
}

// TestFailureFlood: failures from any number of addresses need limited memory, and stay slowed.
func TestFailureFlood(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	synctest.Test(t, func(t *testing.T) {
		f := newFailures()
		allowed := 0
		for n := range 3 * maxAddresses {
			if f.allow("[2001:db8:" + strings.Repeat("0", 1) + ":" + hexadecimal(n) + "::1]:1") {
				allowed++
			}
		}
		if len(f.addresses) != maxAddresses || allowed != maxAddresses+failuresPerMinute {
			t.Errorf("%d addresses, %d allowed", len(f.addresses), allowed)
		}
		if f.allow("[2001:db8:0:1::2]:1"); f.addresses["2001:db8:0:1::/64"].limit.Tokens() > 3 {
			t.Error("an address of the same network counts for itself")
		}
		time.Sleep(time.Minute)
		f.allow("10.0.0.1:1")
		if len(f.addresses) != 1 {
			t.Errorf("%d addresses a minute later", len(f.addresses))
		}
	})
}

func hexadecimal(n int) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>12&15], digits[n>>8&15], digits[n>>4&15], digits[n&15]})
}

// TestLines: a message is a line and a line is a message, whatever is in it.
func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ws := b.dial("/v1/native", b.secret)
		defer ws.CloseNow()
		long := strings.Repeat("x", 3<<20)
		for sent, want := range map[string]string{`{"a":1}`: `{"a":1}`, "": "", "{\n}\n": "{\r}\r", "ü\u2028": "ü\u2028", long: long} {
			sendText(t, ws, sent)
			if got := receive(t, ws); got != want {
				t.Errorf("%.20q became %.20q", sent, got)
			}
		}
		if err := ws.Write(t.Context(), websocket.MessageBinary, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusUnsupportedData {
			t.Errorf("a binary message: %v", err)
		}
	})
}

// TestExitCode: the close reason is how the dialect ended.
func TestExitCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ws := b.dial("/v1/native", b.secret)
		defer ws.CloseNow()
		close(b.drain)
		go b.closeHost()
		_, _, err := ws.Read(t.Context())
		var ended websocket.CloseError
		if !errors.As(err, &ended) || ended.Code != websocket.StatusNormalClosure || ended.Reason != `{"exit":0}` {
			t.Errorf("%v", err)
		}
	})
}

// TestRevokedTokenEnds: the connections of a token that is revoked or expires end; others do not.
func TestRevokedTokenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		info, secret := b.token(token.Info{Role: "owner"})
		_, short := b.token(token.Info{Role: "owner", Expires: time.Now().Add(time.Hour)})
		revoked, expired, other := b.dial("/v1/native", secret), b.dial("/v1/native", short), b.dial("/v1/native", b.secret)
		go func() { // reads, so that pings are answered
			for {
				if _, _, err := other.Read(context.Background()); err != nil {
					return
				}
			}
		}()
		ends := func(ws *websocket.Conn) {
			t.Helper()
			if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
				t.Errorf("%v", err)
			}
		}
		if err := b.tokens.Revoke(info.ID); err != nil {
			t.Fatal(err)
		}
		ends(revoked)
		began := time.Now()
		ends(expired)
		if passed := time.Since(began); passed != time.Hour {
			t.Errorf("ended after %v", passed)
		}
		synctest.Wait()
		if n := b.host.Clients(); n != 1 {
			t.Errorf("%d clients", n)
		}
		other.CloseNow()
	})
}

// TestSilentPeer: a peer that answers no ping is gone after a minute; one that only answers pings stays.
func TestSilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		silent, _ := b.raw() // reads, and answers nothing
		alive := b.dial("/v1/native", b.secret)
		ctx, cancel := context.WithCancel(t.Context())
		alive.CloseRead(ctx)
		time.Sleep(silenceWait - time.Second)
		if n := b.host.Clients(); n != 2 {
			t.Errorf("%d clients before", n)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := b.host.Clients(); n != 1 {
			t.Errorf("%d clients after a minute", n)
		}
		time.Sleep(time.Hour)
		if n := b.host.Clients(); n != 1 {
			t.Errorf("%d clients after an hour", n)
		}
		cancel()
		alive.CloseNow()
		silent.Close()
	})
}

// TestFull: one client too many is refused, and one that leaves makes room.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var all []*websocket.Conn
		for range 3 {
			all = append(all, b.dial("/v1/native", b.secret))
		}
		if got, _, body := b.get(request{path: "/v1/native", header: bearing(b.secret)}); got != 503 {
			t.Errorf("%d %s", got, body)
		}
		all[0].CloseNow()
		synctest.Wait()
		all = append(all, b.dial("/v1/native", b.secret))
		for _, ws := range all {
			ws.CloseNow()
		}
	})
}

// TestSlowHeaders: connections that send no request are closed.
func TestSlowHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		conn, err := b.pipes.dial("10.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("GET /v1/na")); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		buffer := make([]byte, 1000)
		for err == nil {
			_, err = conn.Read(buffer)
		}
		if passed := time.Since(began); passed != headerWait {
			t.Errorf("closed after %v", passed)
		}
		conn.Close()
	})
}

// TestConnectionFlood: connections that send nothing are limited in number and in time, and the clients that are there are
// not affected.
func TestConnectionFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ws := b.dial("/v1/native", b.secret)
		defer ws.CloseNow()
		received := make(chan string, 1)
		go func() { // reads, so that pings are answered
			_, data, _ := ws.Read(t.Context())
			received <- string(data)
		}()
		began := time.Now()
		for range 3*(3+spare) + 1 { // three times as many as fit in
			conn, err := b.pipes.dial("10.0.0.1")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
		}
		if passed := time.Since(began); passed != 3*headerWait {
			t.Errorf("they came in within %v", passed)
		}
		sendText(t, ws, "line")
		if got := <-received; got != "line" {
			t.Errorf("%q", got)
		}
	})
}

// TestDraining: while the host closes it is alive, not ready, and takes no client.
func TestDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		go b.closeHost()
		synctest.Wait()
		for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/v1/native": 503} {
			if got, _, body := b.get(request{path: path, header: bearing(b.secret)}); got != want {
				t.Errorf("%s: %d %s, want %d", path, got, body, want)
			}
		}
	})
}

// TestAddresses: only what no other machine can reach may be without TLS.
func TestAddresses(t *testing.T) {
	for addr, free := range map[string]bool{
		"127.0.0.1:0": true, "127.1.2.3:80": true, "[::1]:0": true,
		"0.0.0.0:0": false, ":0": false, "[::]:0": false, "10.0.0.1:80": false, "[fe80::1]:80": false, "[::ffff:10.0.0.1]:80": false,
	} {
		if err := CheckAddress(addr, false); (err == nil) != free || err != nil && !errors.Is(err, ErrNeedsTLS) {
			t.Errorf("%s without TLS: %v", addr, err)
		}
		if err := CheckAddress(addr, true); err != nil {
			t.Errorf("%s with TLS: %v", addr, err)
		}
	}
	for _, addr := range []string{"", "127.0.0.1", "127.0.0.1:port", "127.0.0.1:99999"} {
		if err := CheckAddress(addr, true); err == nil {
			t.Errorf("%q is an address", addr)
		}
	}
	if l, err := Listen("0.0.0.0:0", false); !errors.Is(err, ErrNeedsTLS) {
		t.Errorf("%v, %v", l, err)
	}
}

// TestBrokenFrame: a client that breaks RFC 6455 is sent the status for that, not the one of a normal end.
func TestBrokenFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		conn := b.handshake("/v1/native")
		defer conn.Close()
		written := make(chan error, 1)
		go func() {
			_, err := conn.Write([]byte("\x81\x01x")) // without a mask
			written <- err
		}()
		head := make([]byte, 4)
		if _, err := io.ReadFull(conn, head); err != nil || head[0] != 0x88 || binary.BigEndian.Uint16(head[2:]) != uint16(websocket.StatusProtocolError) {
			t.Errorf("%x, %v", head, err)
		}
		conn.Close()
		<-written
	})
}
