package sse

import (
	"bytes"
	"io"
	"net/http"

	"parley.dev/parley/internal/model"
)

// A Body is the body of a request for a stream: JSON, with the pictures that it has yet to show.
type Body struct {
	req    *model.Request
	pieces []piece
	size   int64 // in bytes, as it is sent
}

// A piece of a body is JSON as it is sent, or a picture that is sent in base64.
type piece struct {
	json    []byte
	picture []byte
}

// A marshaler is a parameter of an SDK.
type marshaler interface{ MarshalJSON() ([]byte, error) }

// NewBody is the body of req: its parameters, which lack the tools, and those as encode would
// have them. That it is for a stream the SDKs say where they are asked; here it stands first.
func NewBody[P, T marshaler](kept *Tools, req *model.Request, params func(*model.Request) P, encode func([]model.ToolSpec) []T) (*Body, error) {
	pictures := standIns{}
	document, err := params(pictures.take(req)).MarshalJSON()
	if err != nil {
		return nil, err
	}
	b := &Body{req: req}
	b.add(piece{json: []byte(`{"stream":true,`)})
	for _, p := range pictures.split(bytes.TrimSuffix(bytes.TrimPrefix(document, []byte("{")), []byte("}"))) {
		b.add(p)
	}
	if len(req.Tools) > 0 {
		tools, err := kept.list(req.Tools, func() ([]byte, error) { return array(encode(req.Tools)) })
		if err != nil {
			return nil, err
		}
		b.add(piece{json: []byte(`,"tools":`)})
		b.add(piece{json: tools})
	}
	b.add(piece{json: []byte("}")})
	return b, nil
}

func (b *Body) add(p piece) {
	b.pieces = append(b.pieces, p)
	b.size += int64(len(p.json)) + encodedSize(p.picture)
}

// Send is a middleware of the SDKs. It sends a request with this body, in place of what they
// made of no parameters; so they need not copy it, and pictures are encoded as they go. All that
// could be done before is done when it waits until the request may leave.
func (b *Body) Send(r *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if err := b.req.Await(r.Context()); err != nil {
		return nil, err
	}
	r.ContentLength = b.size
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(b.reader()), nil }
	r.Body = io.NopCloser(b.reader())
	return next(r)
}

func (b *Body) reader() io.Reader {
	all := make([]io.Reader, len(b.pieces))
	for i, p := range b.pieces {
		all[i] = bytes.NewReader(p.json)
		if p.picture != nil {
			all[i] = &encoded{data: p.picture}
		}
	}
	return filling{io.MultiReader(all...)}
}

// A filling reads as much as there is room for: a small piece is not sent alone.
type filling struct{ from io.Reader }

func (f filling) Read(p []byte) (int, error) {
	n, err := io.ReadFull(f.from, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}
