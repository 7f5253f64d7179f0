package modeltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// lists are answers to a request for models, and what they are read as: the ids, or a failure.
var lists = []struct {
	name   string
	status int // 0: 200
	body   string
	ids    []string
	want   *model.Error // nil: ids
}{
	{"two", 0, `{"object":"list","data":[{"id":"b","display_name":"B"},{"id":"a"}],"has_more":false}`, []string{"b", "a"}, nil},
	{"none", 0, `{"data":[]}`, []string{}, nil},
	{"repeated, without an id, of another type", 0, `{"data":[null,7,[],{"id":"a"},{"id":""},{"id":3},{"id":"a"},{"name":"x"},{"id":"b","id":"c"}]}`, []string{"a", "c"}, nil},
	{"only strange ones", 0, `{"data":[{"id":3}]}`, nil, &model.Error{Kind: model.BrokenStream, Message: "no list of models"}},
	{"another object", 0, `{"models":[]}`, nil, &model.Error{Kind: model.BrokenStream, Message: "no list of models"}},
	{"another type", 0, `{"data":"x"}`, nil, &model.Error{Kind: model.BrokenStream}},
	{"a web page", 0, `<html>`, nil, &model.Error{Kind: model.BrokenStream}},
	{"nothing", 0, ``, nil, &model.Error{Kind: model.BrokenStream}},
	{"too long", 0, `{"data":[{"id":"` + strings.Repeat("x", 9<<20) + `"}]}`, nil, &model.Error{Kind: model.BrokenStream}},
	{"refused", 401, `{"error":{"message":"bad key ` + Key + `","code":"invalid_api_key"}}`, nil, &model.Error{Kind: model.Auth, Status: 401, Code: "invalid_api_key", Message: "bad key [redacted]"}},
	{"missing", 404, `not found`, nil, &model.Error{Kind: model.Rejected, Status: 404, Message: "not found"}},
}

func testModels(t *testing.T, s Subject) {
	ask := func(t *testing.T, handler http.HandlerFunc, set ...func(*Client)) ([]model.Info, error) {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return s.connect(t, &Server{URL: server.URL}, set...).(model.Lister).Models(t.Context())
	}
	for _, l := range lists {
		t.Run(l.name, func(t *testing.T) {
			got, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
				if key := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"); r.Method != http.MethodGet || r.URL.Path != "/v1/models" || !strings.HasSuffix(key, Key) {
					t.Errorf("asked %s %s with key %q", r.Method, r.URL, key)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(max(l.status, http.StatusOK))
				io.WriteString(w, l.body)
			})
			if l.want != nil {
				wantError(t, err, l.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			ids := []string{}
			for _, info := range got {
				if info.Name == "" || info.Provider == "" {
					t.Errorf("%+v", info)
				}
				ids = append(ids, info.ID)
			}
			if diff := cmp.Diff(l.ids, ids); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	t.Run("very many", func(t *testing.T) {
		var body strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&body, `,{"id":"m%d"}`, i)
		}
		got, err := ask(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"data":[`+body.String()[1:]+`]}`) })
		if err != nil || len(got) != 10_000 {
			t.Errorf("%d models, %v", len(got), err)
		}
	})
	t.Run("silence", func(t *testing.T) {
		_, err := ask(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, func(c *Client) { c.Idle = 50 * time.Millisecond })
		wantError(t, err, &model.Error{Kind: model.Unreachable, Message: "no data for 50ms"})
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("the person said stop")
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			cancel(cause)
			<-r.Context().Done()
		}))
		t.Cleanup(server.Close)
		if _, err := s.connect(t, &Server{URL: server.URL}).(model.Lister).Models(ctx); err != cause {
			t.Errorf("got %v, want the cause", err)
		}
	})
	t.Run("no server", func(t *testing.T) {
		gone := s.connect(t, NewServer(t), func(c *Client) { c.BaseURL = s.Wire.BaseURL("http://127.0.0.1:1") })
		_, err := gone.(model.Lister).Models(t.Context())
		wantError(t, err, &model.Error{Kind: model.Unreachable})
	})
}
