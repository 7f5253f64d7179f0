package openai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley.dev/parley/internal/model"
)

func BenchmarkChat(b *testing.B)      { chatSubject.Bench(b, 20_000) }
func BenchmarkResponses(b *testing.B) { responsesSubject.Bench(b, 20_000) }

// BenchmarkBody encodes and sends the request of a short conversation with a dozen tools.
func BenchmarkBody(b *testing.B) {
	req := &model.Request{Model: "m", System: strings.Repeat("You are a coding agent. ", 60)}
	for i := range 12 {
		req.Tools = append(req.Tools, model.ToolSpec{
			Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("What it is for.\n", 30),
			Schema: []byte(`{"type":"object","properties":{"path":{"type":"string","description":"The file"}},"required":["path"]}`),
		})
	}
	for i := range 20 {
		role := []model.Role{model.User, model.Assistant}[i%2]
		req.Messages = append(req.Messages, model.Message{Role: role, Blocks: []model.Block{model.TextBlock("go on")}})
	}
	benchBody(b, req)
}

// BenchmarkBodyPicture does so with a picture of 15 MB.
func BenchmarkBodyPicture(b *testing.B) {
	picture := model.Image{MIME: "image/png", Data: make([]byte, 15<<20)}
	benchBody(b, &model.Request{Model: "m", Messages: []model.Message{{Role: model.User, Blocks: []model.Block{{Kind: model.KindImage, Image: &picture}}}}})
}

func benchBody(b *testing.B, req *model.Request) {
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		b.SetBytes(r.ContentLength)
		_, err := io.Copy(io.Discard, r.Body)
		return nil, errors.Join(err, errSent)
	})
	c := NewChat(Options{HTTP: &http.Client{Transport: transport}})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.endpoint.Post(b.Context(), req, "chat/completions", c.options.header(), c.params(req)); !errors.Is(err, errSent) {
			b.Fatal(err)
		}
	}
}

// errSent is the answer to every request.
var errSent = errors.New("sent")

// A roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (t roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
