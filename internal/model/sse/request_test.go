package sse

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/model"
)

// A recorder is a client that records one request and answers it with an error.
type recorder struct {
	request *http.Request
	body    string
}

var errRecorded = errors.New("recorded")

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.request = request
	if request.Body == nil {
		return nil, errRecorded
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	again, err := request.GetBody()
	if err != nil {
		return nil, err
	}
	repeated, err := io.ReadAll(iotest.OneByteReader(again))
	if err != nil {
		return nil, err
	}
	if request.ContentLength != int64(len(body)) || string(repeated) != string(body) {
		return nil, errors.New("the length is wrong, or the body differs when it is sent again")
	}
	r.body = string(body)
	return nil, errRecorded
}

func TestPost(t *testing.T) {
	record := &recorder{}
	e := Endpoint{Address: "https://host/v1?version=2&version=3", HTTP: &http.Client{Transport: record}}
	header := http.Header{"User-Agent": {"mine"}, "X-Beta": {"a", "b"}}
	if _, err := e.Post(t.Context(), &model.Request{}, "messages", header, map[string]any{"b": "<\xff>", "a": jsontext.Value(`{"z": "\u003c", "a":1.0}`)}); !errors.Is(err, errRecorded) {
		t.Fatal(err)
	}
	if got, want := record.body, `{"a":{"z":"\u003c","a":1.0},"b":"<`+"\uFFFD"+`>"}`; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
	if got, want := record.request.URL.String(), "https://host/v1/messages?version=2&version=3"; got != want {
		t.Errorf("address %s, want %s", got, want)
	}
	want := http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}, "User-Agent": {"mine"}, "X-Beta": {"a", "b"}}
	if diff := cmp.Diff(want, record.request.Header); diff != "" {
		t.Error(diff)
	}
}

func TestGet(t *testing.T) {
	record := &recorder{}
	e := Endpoint{Address: "https://host/?version=2", HTTP: &http.Client{Transport: record}}
	if _, err := e.Get(t.Context(), "v1/models?limit=3", nil); !errors.Is(err, errRecorded) {
		t.Fatal(err)
	}
	if got, want := record.request.URL.String(), "https://host/v1/models?version=2&limit=3"; got != want {
		t.Errorf("address %s, want %s", got, want)
	}
	if diff := cmp.Diff(http.Header{"Accept": {"application/json"}, "User-Agent": {"parley"}}, record.request.Header); diff != "" {
		t.Error(diff)
	}
}

// TestPostNotSent checks that nothing is sent of a request that is wrong, or that must wait until it is cancelled.
func TestPostNotSent(t *testing.T) {
	record := &recorder{}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	waits := &model.Request{Ready: make(chan struct{})}
	for name, post := range map[string]func(e Endpoint) error{
		"parameters": func(e Endpoint) error {
			_, err := e.Post(t.Context(), &model.Request{}, "x", nil, jsontext.Value("{"))
			return err
		},
		"address": func(e Endpoint) error {
			e.Address = "://host"
			_, err := e.Post(t.Context(), &model.Request{}, "x", nil, 1)
			return err
		},
		"cancelled": func(e Endpoint) error {
			_, err := e.Post(cancelled, waits, "x", nil, 1)
			return err
		},
	} {
		err := post(Endpoint{Address: "https://host", HTTP: &http.Client{Transport: record}})
		if err == nil || record.request != nil {
			t.Errorf("%s: %v, sent %v", name, err, record.request)
		}
	}
}

func TestTrimVersion(t *testing.T) {
	for address, want := range map[string]string{
		"https://host":              "https://host",
		"https://host/v1":           "https://host",
		"https://host/v1/":          "https://host",
		"https://host/a%2Fb/v1?x=1": "https://host/a%2Fb?x=1",
		"https://host/v1beta":       "https://host/v1beta",
		"://host/v1":                "://host/v1",
	} {
		if got := TrimVersion(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// TestPictures checks that a body with pictures is what it would be with strings in their place.
func TestPictures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type document[S any] struct {
			Text string         `json:"text"`
			All  []S            `json:"all"`
			Map  map[string]S   `json:"map"`
			One  *S             `json:"one,omitzero"`
			Raw  jsontext.Value `json:"raw"`
		}
		var with document[Picture]
		var want document[string]
		draw := func() (Picture, string) {
			p := Picture{Prefix: rapid.SampledFrom([]string{"", "data:image/png;base64,", "\"ü\n"}).Draw(t, "prefix"), Data: rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "data")}
			return p, p.Prefix + base64.StdEncoding.EncodeToString(p.Data)
		}
		with.Text = rapid.String().Draw(t, "text")
		want.Text, with.Raw, want.Raw = with.Text, jsontext.Value(`{"b":[1]}`), jsontext.Value(`{"b":[1]}`)
		with.Map, want.Map = map[string]Picture{}, map[string]string{}
		for range rapid.IntRange(0, 4).Draw(t, "pictures") {
			p, s := draw()
			with.All, want.All = append(with.All, p), append(want.All, s)
			key := rapid.StringMatching("[a-c]").Draw(t, "key")
			with.Map[key], want.Map[key] = p, s
			with.One, want.One = &p, &s
		}
		b, err := encode(with)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if _, err := io.Copy(&got, b.reader()); err != nil {
			t.Fatal(err)
		}
		expected, err := json.Marshal(want, requestOptions)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(expected) || b.size != int64(len(expected)) {
			t.Fatalf("%d bytes %s\nwant %s", b.size, got.String(), expected)
		}
	})
}
