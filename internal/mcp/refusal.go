package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"parley.dev/parley/internal/lock"
)

// A delivery is what the HTTP requests of one call report. Methods of nil do nothing.
type delivery struct {
	lose func(error) // ends the call
	call string      // names the call in the requests that the server makes on its stream

	mu     lock.Mutex
	unrun  bool // the server refused the call because it did not know the session
	reopen *time.Timer
}

type deliveryKey struct{}

func withDelivery(ctx context.Context, d *delivery) context.Context {
	return context.WithValue(ctx, deliveryKey{}, d)
}

func deliveryOf(ctx context.Context) *delivery {
	d, _ := ctx.Value(deliveryKey{}).(*delivery)
	return d
}

var errUnreachable = errors.New("it cannot be reached any more")

// scope names the call, as delivery.call.
func (d *delivery) scope() string {
	if d == nil {
		return ""
	}
	return d.call
}

// broke notes that the stream of the call could not be opened again. The call ends unless
// that succeeds within limit.
func (d *delivery) broke(limit time.Duration) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.reopen == nil {
		d.reopen = time.AfterFunc(limit, func() { d.lose(errUnreachable) })
	}
}

// reached notes that the server answers.
func (d *delivery) reached() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.reopen != nil {
		d.reopen.Stop()
		d.reopen = nil
	}
}

func (d *delivery) refuse() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unrun = true
}

// refused reports whether the server did not run the call since it did not know the session.
func (d *delivery) refused() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unrun
}

// An httpError is a response that is no answer of the protocol.
type httpError struct {
	status    int
	text      string // of the body
	challenge string // WWW-Authenticate
	wants     bool   // the user can sign in, or has to sign in again
	scopes    string // that the token lacks
}

func (e *httpError) Error() string {
	text := fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status))
	if e.text != "" {
		text += ": " + e.text
	}
	switch {
	case e.wants:
		return text
	case e.status == http.StatusUnauthorized:
		text += "; the server refuses the token in the setting headers"
		if e.challenge != "" {
			text += fmt.Sprintf(" (it sent WWW-Authenticate: %s)", e.challenge)
		}
	}
	return text
}

// maxRefusal bounds what is read of the body of a failed request, in bytes.
const maxRefusal = 64 << 10

// judge returns the error of a response to a message. One that the library reads better
// (an error of the protocol) is left to it, and a session that the server does not know
// becomes the status that the protocol has for this.
func (e *endpoint) judge(r *http.Response, d *delivery) error {
	if r.Request == nil || r.Request.Method != http.MethodPost && !e.older || r.StatusCode < 400 {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(r.Body, maxRefusal))
	refusal := refusalOf(text)
	if r.Request.Header.Get("Mcp-Session-Id") != "" && isSessionLost(r.StatusCode, text, refusal) {
		d.refuse()
		r.StatusCode, r.Status = http.StatusNotFound, "404 Not Found"
		r.Body = replaced{bytes.NewReader(nil), r.Body}
		return nil
	}
	wants, scopes := e.wantsSignIn(r)
	if !wants && refusal != nil && r.StatusCode < 500 && r.StatusCode != http.StatusTooManyRequests && r.StatusCode != http.StatusUnauthorized {
		r.Body = replaced{bytes.NewReader(text), r.Body}
		return nil
	}
	return &httpError{
		status: r.StatusCode, text: brief(plain(wordsOf(text, refusal)), maxProblem),
		challenge: brief(plain(r.Header.Get("WWW-Authenticate")), maxLast),
		wants:     wants, scopes: scopes,
	}
}

// replaced is a body that was read, with another text in its place.
type replaced struct {
	io.Reader
	io.Closer
}

// refusalOf returns the error of the protocol that a body is; nil: it is none.
func refusalOf(body []byte) *jsonrpc.Error {
	message, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return nil
	}
	response, ok := message.(*jsonrpc.Response)
	if !ok {
		return nil
	}
	refusal, _ := errors.AsType[*jsonrpc.Error](response.Error)
	return refusal
}

// isSessionLost reports whether a server that was sent the id of a session does not know it:
// status 404, or 400 and words about it, as many servers have it.
func isSessionLost(status int, body []byte, refusal *jsonrpc.Error) bool {
	switch status {
	case http.StatusNotFound:
		return refusal == nil || refusal.Code != jsonrpc.CodeMethodNotFound
	case http.StatusBadRequest:
		text := strings.ToLower(string(body))
		return strings.Contains(text, "session") || strings.Contains(text, "not initialized")
	}
	return false
}

// wordsOf returns the text of the body of a failed request: the message of a JSON object, or all of it.
func wordsOf(body []byte, refusal *jsonrpc.Error) string {
	if refusal != nil {
		return refusal.Message
	}
	var fields struct {
		Error       jsontext.Value `json:"error"`
		Description string         `json:"error_description"`
		Message     string         `json:"message"`
		Detail      string         `json:"detail"`
	}
	if json.Unmarshal(body, &fields) != nil {
		return strings.TrimSpace(string(body))
	}
	var inner struct {
		Message string `json:"message"`
	}
	code := ""
	if json.Unmarshal(fields.Error, &code) != nil {
		_ = json.Unmarshal(fields.Error, &inner)
	}
	return cmp.Or(fields.Description, fields.Message, fields.Detail, inner.Message, code, strings.TrimSpace(string(body)))
}

// cause returns the part of an error of the library that describes what happened, without the
// layers that the error went through.
func cause(err error) error {
	if refused, ok := errors.AsType[*httpError](err); ok {
		return refused
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("it cannot be reached: %w", failed.Err)
	}
	if refusal, ok := protocolError(err); ok {
		return errors.New(refusalText(refusal))
	}
	return err
}

// protocolError returns the error of the protocol that a server answered with. The library
// has one of its own for requests that did not arrive.
func protocolError(err error) (*jsonrpc.Error, bool) {
	if _, ok := errors.AsType[*httpError](err); ok {
		return nil, false
	}
	if _, ok := errors.AsType[*url.Error](err); ok {
		return nil, false
	}
	return errors.AsType[*jsonrpc.Error](err)
}

// refusalText returns the text of an error of the protocol.
func refusalText(e *jsonrpc.Error) string {
	text := fmt.Sprintf("%s (code %d)", e.Message, e.Code)
	if data := strings.TrimSpace(string(e.Data)); data != "" && data != "null" {
		text += "; it adds: " + brief(data, maxLast)
	}
	return text
}
