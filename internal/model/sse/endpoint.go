package sse

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// DefaultIdle is the longest silence of a server when Endpoint.Idle is 0.
const DefaultIdle = 5 * time.Minute

const (
	maxReply  = 8 << 20                // bytes of an answer that is no stream
	drainWait = 100 * time.Millisecond // for the end of a body after its last event
)

// Lenient reads what servers send: unknown fields, repeated names, runes cut in half.
var Lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// An Endpoint is the server on the far side of a wire. No error shows its address, its
// key or the value of a header.
type Endpoint struct {
	Provider string // its name in errors
	BaseURL  string // as configured; "": the wire's own
	Address  string // what paths of requests are below; it may have a query, which every request has
	Key      string
	Headers  map[string]string
	HTTP     *http.Client  // nil: DefaultClient
	Idle     time.Duration // no byte for so long: it is unreachable; 0: DefaultIdle
}

// A Send sends a request. The response may have any status; its body is not yet read.
type Send func(ctx context.Context) (*http.Response, error)

// A Decoder makes one answer of one wire's events.
type Decoder interface {
	// Decode takes an event; done says that it is the wire's last. A *Fault is the
	// server's own failure; any other error means that the stream is not what the wire
	// promises.
	Decode(ev Event, to *Answer) (done bool, err error)
	// End is asked when the stream ends without its last event: is the answer whole all the same?
	End(to *Answer) error
}

// Stream sends req and yields what decode makes of the answer, as model.Provider says.
func (e *Endpoint) Stream(ctx context.Context, req *model.Request, send Send, decoder func() Decoder) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		to := newAnswer(req, yield)
		err := e.exchange(ctx, send, func(x *exchange) error { return x.events(decoder(), to) })
		if err != nil && ctx.Err() == nil {
			to.flush()
		}
		if err != nil && !to.left {
			yield(model.Delta{}, err)
		}
	}
}

// Fetch sends a request whose answer is one JSON document, and reads it into v.
func (e *Endpoint) Fetch(ctx context.Context, send Send, v any) error {
	return e.exchange(ctx, send, func(x *exchange) error {
		body, err := io.ReadAll(io.LimitReader(x, maxReply))
		if err != nil {
			return err
		}
		return json.Unmarshal(body, v, Lenient)
	})
}

// exchange sends, hands a successful response to use, and ends the request. Its error is
// a *model.Error, or the cause of ctx.
func (e *Endpoint) exchange(parent context.Context, send Send, use func(*exchange) error) error {
	idle := e.Idle
	if idle == 0 {
		idle = DefaultIdle
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	x := &exchange{ctx: ctx, idle: idle}
	x.alarm = time.AfterFunc(idle, func() { cancel(&idleError{idle}) })
	defer x.alarm.Stop()

	err := x.open(send)
	if err == nil {
		defer x.response.Body.Close()
		if err = x.status(); err == nil {
			err = use(x)
		}
	}
	switch silence, idle := context.Cause(ctx).(*idleError); {
	case err == nil:
		return nil
	case parent.Err() != nil:
		return context.Cause(parent)
	case idle:
		err = silence
	}
	return e.failure(err)
}

// An exchange is one request under way. Reading from it reads the body.
type exchange struct {
	ctx      context.Context
	response *http.Response
	idle     time.Duration
	alarm    *time.Timer // runs while the server is waited for, and ends the request
}

// An idleError is a server that kept silent too long.
type idleError struct{ after time.Duration }

func (e *idleError) Error() string { return fmt.Sprintf("no data for %s", e.after) }

func (x *exchange) open(send Send) (err error) {
	x.response, err = send(x.ctx)
	x.alarm.Stop()
	if err != nil {
		return &sendError{err}
	}
	return nil
}

// Read reads from the body. Its time counts as the server's, the caller's own does not.
func (x *exchange) Read(p []byte) (int, error) {
	x.alarm.Reset(x.idle)
	n, err := x.response.Body.Read(p)
	x.alarm.Stop()
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

// status returns the server's refusal, if the response is one.
func (x *exchange) status() error {
	switch {
	case x.response.StatusCode/100 == 2 && x.media() == "text/html":
		return webPageError{}
	case x.response.StatusCode/100 == 2:
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(x, maxReply)) // half a body is better than none
	f := parseFault(body)
	f.of(x.response)
	return f
}

// events has decoder read the body to its last event, and finishes the answer.
func (x *exchange) events(decoder Decoder, to *Answer) error {
	if x.media() == "application/json" {
		return x.document(decoder, to)
	}
	return x.stream(NewReader(x), decoder, to)
}

func (x *exchange) stream(events *Reader, decoder Decoder, to *Answer) error {
	for done := false; !done; {
		ev, err := events.Next()
		switch {
		case err == io.EOF:
			err, done = decoder.End(to), true
		case err == nil:
			done, err = decoder.Decode(ev, to)
		}
		if err != nil {
			return err
		}
		if to.left {
			return nil
		}
		if x.ctx.Err() != nil {
			return x.ctx.Err()
		}
	}
	to.finish()
	x.drain()
	return nil
}

// document has decoder read an answer that is one JSON document where a stream was asked for, as gateways
// send it that cannot stream. It may be a failure.
func (x *exchange) document(decoder Decoder, to *Answer) error {
	body, err := io.ReadAll(io.LimitReader(x, maxReply))
	if err != nil {
		return err
	}
	if !jsontext.Value(body).IsValid(Lenient) {
		return x.stream(NewReader(bytes.NewReader(body)), decoder, to) // newline-delimited JSON, or broken
	}
	if f := (&Fault{}); f.read(body) && (f.Code != "" || f.Message != "") {
		return f
	}
	done, err := decoder.Decode(Event{Data: body}, to)
	if err == nil && !done {
		err = decoder.End(to)
	}
	if err != nil {
		return fmt.Errorf("the answer is a JSON document, not a stream of events, and cannot be read: %w", err)
	}
	to.finish()
	return nil
}

// A webPageError is a web page where an answer was expected.
type webPageError struct{}

func (webPageError) Error() string {
	return "a web page answered, not a model: is the address right, and is no login needed?"
}

// media returns the type of the response's content.
func (x *exchange) media() string {
	media, _, _ := mime.ParseMediaType(x.response.Header.Get("Content-Type"))
	return media
}

// drain reads what is left of the body, so that the connection can be used again. A
// server that does not end it at once loses the connection.
func (x *exchange) drain() {
	x.alarm.Reset(drainWait)
	_, _ = io.Copy(io.Discard, io.LimitReader(x.response.Body, readSize)) // nothing depends on it
}
