package modeltest

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley.dev/parley/internal/model"
)

// Fuzz has the server of a provider say anything at all: the stream ends once, with an answer or
// an error, and what it says is what the answer holds.
func (s Subject) Fuzz(f *testing.F) {
	for _, a := range answers {
		f.Add([]byte(s.Wire.Render(Stream(a.parts...))))
	}
	f.Add([]byte(s.Wire.Render(Stream(Text("a"), Fail("overloaded_error", "later")))))
	f.Add([]byte("data: {}\n\ndata: [DONE]\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		const key = "sk-fuzz-0123456789abcdef"
		p := s.New(Client{BaseURL: s.Wire.BaseURL("http://127.0.0.1:1"), Key: key, Idle: time.Minute, HTTP: &http.Client{Transport: saying(stream)}})
		out := collect(t, t.Context(), p, Hello(), 0)
		if (out.response == nil) == (out.err == nil) {
			t.Errorf("%+v", out)
		}
		if out.err != nil && (strings.Contains(out.err.Error(), key) || !utf8.ValidString(out.err.Error())) {
			t.Errorf("the error is %q", out.err)
		}
		if out.response == nil {
			return
		}
		for _, b := range out.response.Message.Blocks {
			if b.Kind == model.KindToolCall && (b.Call == nil || b.Call.ID == "" || !b.Call.Input.IsValid()) {
				t.Errorf("a call is %+v", b)
			}
		}
	})
}

// saying is a transport that answers every request with a stream.
type saying []byte

func (s saying) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(s))),
	}, nil
}
