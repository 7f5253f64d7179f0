package sse

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// words is a Decoder of a wire whose events are JSON strings, up to "end".
type words struct{ open bool }

func (w *words) Decode(ev Event, to *Answer) (bool, error) {
	if string(ev.Data) == "end" {
		return true, nil
	}
	if !w.open {
		w.open = true
		to.Open()
	}
	return false, to.Text(0, jsontext.Value(ev.Data))
}

func (w *words) End(*Answer) error { return errors.New("no end") }

// slowBody is a body that sends a frame after each pause, and then nothing for ever.
type slowBody struct {
	ctx    context.Context
	pauses []time.Duration
	frames []string
}

func (b *slowBody) Read(p []byte) (int, error) {
	if len(b.frames) == 0 {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	select {
	case <-time.After(b.pauses[0]):
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
	n := copy(p, b.frames[0])
	b.pauses, b.frames = b.pauses[1:], b.frames[1:]
	return n, nil
}

func (b *slowBody) Close() error { return nil }

// TestIdle: the server may be slow, and the reader for as long as it likes; only a silent
// server is given up.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Endpoint{Provider: "test"}
		almost := DefaultIdle - time.Second
		send := func(ctx context.Context) (*http.Response, error) {
			time.Sleep(almost)
			return &http.Response{StatusCode: 200, Body: &slowBody{
				ctx: ctx, pauses: []time.Duration{almost, almost}, frames: []string{"data: \"a\"\n\n", "data: \"b\"\n\n"},
			}}, nil
		}
		start, text := time.Now(), ""
		var failure *model.Error
		for d, err := range e.Stream(t.Context(), &model.Request{}, send, func() Decoder { return &words{} }) {
			if err != nil && !errors.As(err, &failure) {
				t.Fatal(err)
			}
			text += d.Text
			if d.Text != "" {
				time.Sleep(2 * DefaultIdle)
			}
		}
		if text != "ab" || failure == nil || failure.Kind != model.Unreachable {
			t.Errorf("got %q, %v", text, failure)
		}
		if got, want := time.Since(start), 3*almost+2*2*DefaultIdle+DefaultIdle; got != want {
			t.Errorf("gave up after %s, want %s", got, want)
		}
	})
}

// TestDrain: a server that does not end its stream after the last event is not waited for.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Endpoint{Provider: "test"}
		send := func(ctx context.Context) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: &slowBody{ctx: ctx, pauses: make([]time.Duration, 2), frames: []string{"data: \"a\"\n\n", "data: end\n\n"}}}, nil
		}
		start, done := time.Now(), false
		for d, err := range e.Stream(t.Context(), &model.Request{}, send, func() Decoder { return &words{} }) {
			if err != nil {
				t.Fatal(err)
			}
			if done = d.Kind == model.Done; done && time.Since(start) != 0 {
				t.Error("Done waited for the end of the body")
			}
		}
		if !done || time.Since(start) != drainWait {
			t.Errorf("done %v after %s", done, time.Since(start))
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for wish, want := range map[string]time.Duration{
		"":                              0,
		"soon":                          0,
		"-3":                            0,
		"NaN":                           0,
		"0.25":                          250 * time.Millisecond,
		"12":                            12 * time.Second,
		"1e300":                         maxWait,
		"Sat, 21 Nov 2026 07:00:05 GMT": 5 * time.Second,
		"Sat, 21 Nov 2026 06:00:00 GMT": 0,
		"Sat, 21 Nov 2099 06:00:00 GMT": maxWait,
	} {
		h := http.Header{"Retry-After": {wish}, "Date": {"Sat, 21 Nov 2026 07:00:00 GMT"}}
		if got := retryAfter(h); got != want {
			t.Errorf("%q: %s, want %s", wish, got, want)
		}
	}
}

func TestFetch(t *testing.T) {
	e := &Endpoint{Provider: "test"}
	answer := func(body string) Send {
		return func(context.Context) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body))}, nil
		}
	}
	var got struct{ A int }
	if err := e.Fetch(t.Context(), answer(`{"A":7,"b":null}`), &got); err != nil || got.A != 7 {
		t.Errorf("got %+v, %v", got, err)
	}
	var failure *model.Error
	for body, want := range map[string]string{
		`{`:         "the answer is broken: it is not valid JSON",
		`{"A":oops`: "the answer is broken: it is not valid JSON",
		`{"A":"x"}`: "the answer is broken: it has a value of the wrong type at /A",
		`[]`:        "the answer is broken: it is not a JSON object",
	} {
		if err := e.Fetch(t.Context(), answer(body), &got); !errors.As(err, &failure) || failure.Kind != model.BrokenStream || failure.Message != want {
			t.Errorf("%s: got %v, want %q", body, err, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for cause, want := range map[error]model.ErrorKind{
		io.ErrUnexpectedEOF:    model.BrokenStream,
		os.ErrDeadlineExceeded: model.Unreachable,
	} {
		send := func(context.Context) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(iotest.ErrReader(cause))}, nil
		}
		for _, err := range (&Endpoint{Provider: "test"}).Stream(t.Context(), &model.Request{}, send, func() Decoder { return &words{} }) {
			var failure *model.Error
			if !errors.As(err, &failure) || failure.Kind != want || !errors.Is(err, cause) {
				t.Errorf("%v became %v, want %s", cause, err, want)
			}
		}
	}
}
