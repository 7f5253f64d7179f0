package modeltest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley.dev/parley/internal/model"
)

// canned is a transport that answers every request with the same stream, without a network.
type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"text/event-stream"}},
		Body:       io.NopCloser(strings.NewReader(string(c))),
		Request:    r,
	}, nil
}

// Bench measures the subject's own work on an answer of n text deltas: no server, no network.
func (s Subject) Bench(b *testing.B, n int) {
	parts := make([]Part, n)
	for i := range parts {
		parts[i] = Text("word\n")
	}
	stream := s.Wire.Render(Stream(parts...))
	p := s.New(Client{BaseURL: s.Wire.BaseURL("http://bench.invalid"), Key: Key, HTTP: &http.Client{Transport: canned(stream)}})
	b.ReportAllocs()
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		seen := 0
		for d, err := range p.Stream(b.Context(), Hello()) {
			if err != nil {
				b.Fatal(err)
			}
			if d.Kind == model.TextDelta {
				seen++
			}
		}
		if seen != n {
			b.Fatalf("saw %d deltas, want %d", seen, n)
		}
	}
}
