package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
)

func sendControl(t testing.TB, ws *websocket.Conn, text string) {
	t.Helper()
	if err := ws.Write(t.Context(), websocket.MessageBinary, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// ending returns how the host has ended a connection.
func ending(t testing.TB, ws *websocket.Conn) websocket.CloseError {
	t.Helper()
	_, data, err := ws.Read(t.Context())
	var closed websocket.CloseError
	if !errors.As(err, &closed) {
		t.Fatalf("%q, %v", data, err)
	}
	return closed
}

// TestEndOfInput: after the end of its input a client is sent what comes, until it asks for the end by a signal, or is
// gone; the reason of the close frame has the exit code and the beginning of the error.
func TestEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ws := b.dial("/v1/late", b.secret)
		sendText(t, ws, "line")
		sendControl(t, ws, `{"end":true}`)
		if got := receive(t, ws); got != "ended" {
			t.Errorf("%q", got)
		}
		sendControl(t, ws, `{"stop":2}`)
		if got := receive(t, ws); got != "2" {
			t.Errorf("signal %s", got)
		}
		closed := ending(t, ws)
		var e exit
		if err := json.Unmarshal([]byte(closed.Reason), &e); closed.Code != websocket.StatusNormalClosure || err != nil || e.Exit != 3 ||
			!strings.HasPrefix(e.Error, "it was late") || !strings.HasSuffix(e.Error, ellipsis) {
			t.Errorf("%+v", closed)
		}

		ws = b.dial("/v1/late", b.secret)
		sendControl(t, ws, `{"end":true}`)
		ws.CloseNow()
		synctest.Wait()
		if n := b.host.Clients(); n != 0 {
			t.Errorf("%d clients when it is gone", n)
		}
	})
}

// TestStopByClient: a client asks for the end by a signal before the end of its input.
func TestStopByClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ws := b.dial("/v1/late", b.secret)
		defer ws.CloseNow()
		sendControl(t, ws, `{"stop":15}`)
		if got := receive(t, ws); got != "15" {
			t.Errorf("signal %s", got)
		}
	})
}

// TestControls: what is no control ends the connection, and a message after the end of the input does.
func TestControls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for _, wrong := range []string{
			"", "{}", "x", `{"end":false}`, `{"stop":0}`, `{"stop":-1}`, `{"stop":32}`, `{"end":true,"stop":2}`, `{"end":true,"x":1}`, strings.Repeat(" ", 300) + `{"end":true}`,
		} {
			ws := b.dial("/v1/native", b.secret)
			sendControl(t, ws, wrong)
			if closed := ending(t, ws); closed.Code != websocket.StatusUnsupportedData {
				t.Errorf("%q: %+v", wrong, closed)
			}
			synctest.Wait()
		}
		for _, kind := range []websocket.MessageType{websocket.MessageText, websocket.MessageBinary} {
			ws := b.dial("/v1/late", b.secret)
			sendControl(t, ws, `{"end":true}`)
			if got := receive(t, ws); got != "ended" {
				t.Errorf("%q", got)
			}
			if err := ws.Write(t.Context(), kind, []byte(`{"end":true}`)); err != nil {
				t.Fatal(err)
			}
			if closed := ending(t, ws); closed.Code != websocket.StatusProtocolError {
				t.Errorf("%v after the end: %+v", kind, closed)
			}
			synctest.Wait()
		}
	})
}

// TestRefusedArguments: what the dialect says to its arguments is the answer to the request.
func TestRefusedArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		query := url.Values{"args": {`["--loud"]`}}.Encode()
		if code, _, body := b.get(request{path: "/v1/late?" + query, header: bearing(b.secret)}); code != http.StatusBadRequest || body != "400: there is no option --loud\n" {
			t.Errorf("%d %q", code, body)
		}
		synctest.Wait()
		if n := b.host.Clients(); n != 0 {
			t.Errorf("%d clients", n)
		}
	})
}

// TestPeerThatDoesNotRead: a peer that does not read stays as long as it sends pings, and is gone a minute after.
func TestPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		conn := b.handshake("/v1/late")
		ping := []byte{0x89, 0x80, 0, 0, 0, 0}
		end := append([]byte{0x82, 0x80 | 12, 0, 0, 0, 0}, `{"end":true}`...)
		if _, err := conn.Write(end); err != nil { // and now it is sent a line
			t.Fatal(err)
		}
		for range 30 {
			time.Sleep(pingEvery)
			if _, err := conn.Write(ping); err != nil {
				t.Fatal(err)
			}
		}
		if n := b.host.Clients(); n != 1 {
			t.Errorf("%d clients after ten minutes", n)
		}
		time.Sleep(silenceWait + pingEvery)
		synctest.Wait()
		if n := b.host.Clients(); n != 0 {
			t.Errorf("%d clients after a minute of silence", n)
		}
		conn.Close()
	})
}

// FuzzControl: whatever a binary message is, it is one control that can be written again, or an error.
func FuzzControl(f *testing.F) {
	for _, text := range []string{`{"end":true}`, `{"stop":15}`, `{"end":true,"stop":1}`, "", "{}", `{"stop":1e1}`, "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := readControl(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := readControl(strings.NewReader(string(c.bytes())))
		if err != nil || again != c || c.End == (c.Stop != 0) {
			t.Errorf("%q is %+v, and then %+v, %v", text, c, again, err)
		}
	})
}

// FuzzExitReason: every error fits into the reason of a close frame, with its code.
func FuzzExitReason(f *testing.F) {
	f.Add(0, "")
	f.Add(70, strings.Repeat("\x00\xff\"ü", 100))
	f.Fuzz(func(t *testing.T, code int, problem string) {
		reason := exitReason(code, errors.New(problem))
		var e exit
		if err := json.Unmarshal([]byte(reason), &e); err != nil || len(reason) > maxReason || e.Exit != code {
			t.Errorf("%d %q is %q: %v", code, problem, reason, err)
		}
	})
}
