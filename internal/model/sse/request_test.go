package sse

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

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

func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://host":                            "https://host/v1/models?limit=3",
		"https://host/a%2Fb/?x=1&x=2":             "https://host/a%2Fb/v1/models?x=1&x=2&limit=3",
		"https://host/a/../b#part":                "https://host/b/v1/models?limit=3",
		"https://proxy/https://host":              "https://proxy/https://host/v1/models?limit=3",
		"http://name:word@[::1]:80/":              "http://name:word@[::1]:80/v1/models?limit=3",
		"https://host/openai?api-version=preview": "https://host/openai/v1/models?api-version=preview&limit=3",
	} {
		e := Endpoint{Address: address}
		r, err := e.request(t.Context(), http.MethodGet, "v1/models?limit=3", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.URL.String(); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
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
