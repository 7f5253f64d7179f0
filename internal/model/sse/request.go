package sse

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// This file sends requests with net/http. It never sends one twice: retries are the engine's.

// TrimVersion returns an address without /v1 at the end of its path; its query stays.
func TrimVersion(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // the request will fail with this error
	}
	trim := func(path string) string { return strings.TrimSuffix(strings.TrimSuffix(path, "/"), "/v1") }
	u.Path, u.RawPath = trim(u.Path), trim(u.RawPath)
	return u.String()
}

// Get requests path, which is below e.Address and may have a query. header is sent in addition to
// what every request has, and instead of it.
func (e *Endpoint) Get(ctx context.Context, path string, header http.Header) (*http.Response, error) {
	r, err := e.request(ctx, http.MethodGet, path, header)
	if err != nil {
		return nil, err
	}
	return e.client().Do(r)
}

// Post sends params as JSON to path; see [Endpoint.Get] for path and header. All that can be done
// before is done when it waits until req may leave.
func (e *Endpoint) Post(ctx context.Context, req *model.Request, path string, header http.Header, params any) (*http.Response, error) {
	b, err := encode(params)
	if err != nil {
		return nil, err
	}
	r, err := e.request(ctx, http.MethodPost, path, header)
	if err != nil {
		return nil, err
	}
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.ContentLength = b.size
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(b.reader()), nil } // for redirects and lost connections
	r.Body = io.NopCloser(b.reader())
	if err := req.Await(ctx); err != nil {
		return nil, err
	}
	return e.client().Do(r)
}

func (e *Endpoint) request(ctx context.Context, method, path string, header http.Header) (*http.Request, error) {
	base, err := url.Parse(e.Address)
	if err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(path, "?")
	u := base.JoinPath(path)
	u.RawQuery = strings.Trim(base.RawQuery+"&"+query, "&")
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{"Accept": {"application/json"}, "User-Agent": {"parley"}}
	maps.Copy(r.Header, header)
	return r, nil
}

func (e *Endpoint) client() *http.Client { return cmp.Or(e.HTTP, http.DefaultClient) }

// A Picture is a string of a request: Prefix, then Data in base64. Data is encoded while it is sent,
// so that it is never copied.
type Picture struct {
	Prefix string
	Data   []byte
}

// A mark is where the data of a picture belongs in a document.
type mark struct {
	offset int64
	data   []byte
}

// requestOptions encode text that is not UTF-8 with replacement characters, and JSON that comes from
// elsewhere with the order and the spelling of its members, since these guide the model.
var requestOptions = json.JoinOptions(Lenient, jsontext.PreserveRawStrings(true), json.Deterministic(true))

// encode returns the body of a request with these parameters.
func encode(params any) (*body, error) {
	var marks []mark
	pictures := json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, p Picture) error {
		if err := e.WriteToken(jsontext.String(p.Prefix)); err != nil {
			return err
		}
		marks = append(marks, mark{e.OutputOffset() - int64(len(`"`)), p.Data})
		return nil
	}))
	document, err := json.Marshal(params, requestOptions, pictures)
	if err != nil {
		return nil, err
	}
	b := &body{}
	start := int64(0)
	for _, m := range marks {
		b.add(piece{json: document[start:m.offset]})
		b.add(piece{picture: m.data})
		start = m.offset
	}
	b.add(piece{json: document[start:]})
	return b, nil
}

// A body is the body of a request: JSON in pieces, with pictures between them.
type body struct {
	pieces []piece
	size   int64 // in bytes, as it is sent
}

func (b *body) add(p piece) {
	b.pieces = append(b.pieces, p)
	b.size += int64(len(p.json)) + encodedSize(p.picture)
}

func (b *body) reader() io.Reader {
	all := make([]io.Reader, len(b.pieces))
	for i, p := range b.pieces {
		all[i] = bytes.NewReader(p.json)
		if p.picture != nil {
			all[i] = &encoded{data: p.picture}
		}
	}
	return filling{io.MultiReader(all...)}
}
