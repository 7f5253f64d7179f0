package websearch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "key-0123456789abcdef"

// A shape is what one API looks like from the service's side.
type shape struct {
	api     string
	method  string
	path    string
	header  string // that the key comes in
	secret  string // its value
	snippet string // the name of that member
	wrap    string // an answer, with %s for its list of results
	query   func(*asked) map[string]any
}

func urlQuery(a *asked) map[string]any {
	all := map[string]any{}
	for name, values := range a.url {
		all[name] = strings.Join(values, "|")
	}
	return all
}

var shapes = []shape{
	{
		"brave", "GET", "/res/v1/web/search", "X-Subscription-Token", key, "description",
		`{"type":"search","query":{"original":"q"},"web":{"type":"search","results":%s},"mixed":{"main":[]}}`, urlQuery,
	},
	{
		"tavily", "POST", "/search", "Authorization", "Bearer " + key, "content",
		`{"query":"q","answer":null,"images":[],"results":%s,"response_time":1.2}`,
		func(a *asked) map[string]any {
			var body map[string]any
			if err := json.Unmarshal(a.body, &body); err != nil {
				return map[string]any{"error": err.Error()}
			}
			return body
		},
	},
	{
		"searxng", "GET", "/search", "Authorization", "Bearer " + key, "content",
		`{"query":"q","number_of_results":0,"results":%s,"answers":[],"infoboxes":[],"unresponsive_engines":[]}`, urlQuery,
	},
}

// asked is a request as a service got it.
type asked struct {
	method, path string
	header       http.Header
	url          map[string][]string
	body         []byte
}

// serve returns a service, and the Searcher that asks it.
func (s shape) serve(t testing.TB, handler http.HandlerFunc) tool.DomainSearcher {
	t.Helper()
	server := httptest.NewServer(handler)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return s.at(t, server.URL, transport)
}

func (s shape) at(t testing.TB, address string, transport http.RoundTripper) tool.DomainSearcher {
	t.Helper()
	searcher, err := New(Options{API: s.api, BaseURL: address, Key: key, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return searcher.(tool.DomainSearcher)
}

// say returns a handler that answers every request the same.
func say(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// answer returns an answer with results, each of them JSON.
func (s shape) answer(results ...string) string {
	return fmt.Sprintf(s.wrap, "["+strings.Join(results, ",")+"]")
}

// result returns one result as the service sends it.
func (s shape) result(title, url, snippet string) string {
	return fmt.Sprintf(`{"title":%q,"url":%q,%q:%q,"score":0.5,"engine":"x","language":"en"}`, title, url, s.snippet, snippet)
}

// everywhere runs test for every shape.
func everywhere(t *testing.T, test func(*testing.T, shape)) {
	for _, s := range shapes {
		t.Run(s.api, func(t *testing.T) { test(t, s) })
	}
}

func TestAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, s shape) {
		one, two, three := s.result("One", "https://one.example/", "first <b>&amp;</b>"), s.result("", "https://two.example/", ""), s.result("Three", "https://three.example/", "c")
		hits := []event.SearchHit{
			{Title: "One", URL: "https://one.example/", Snippet: "first <b>&amp;</b>"},
			{URL: "https://two.example/"},
			{Title: "Three", URL: "https://three.example/", Snippet: "c"},
		}
		for _, test := range []struct {
			name  string
			body  string
			limit int
			want  []event.SearchHit
		}{
			{"all", s.answer(one, two, three), 8, hits},
			{"the limit", s.answer(one, two, three), 2, hits[:2]},
			{"none", s.answer(), 8, nil},
			{"some are not what is promised", s.answer(`null`, `7`, `[]`, one, `{"title":"no address"}`, `{"title":1,"url":"https://x.example"}`, three), 8, []event.SearchHit{hits[0], hits[2]}},
			{"repeated names, half runes", s.answer(`{"title":"x","title":"One","url":"https://one.example/","` + s.snippet + "\":\"\\ud83d\xff\"}"), 8, []event.SearchHit{{Title: "One", URL: "https://one.example/", Snippet: "\uFFFD\uFFFD"}}},
		} {
			t.Run(test.name, func(t *testing.T) {
				got, err := s.serve(t, say(200, "application/json", test.body)).Search(t.Context(), "q", test.limit)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	})
}

func TestRequests(t *testing.T) {
	narrow := tool.Domains{Allowed: []string{"go.dev", "pkg.go.dev"}, Blocked: []string{"x.example"}}
	one := tool.Domains{Allowed: []string{"go.dev"}}
	long := strings.Repeat("word ", 45) + "word"
	for _, test := range []struct {
		api     string
		query   string
		domains tool.Domains
		want    map[string]any
	}{
		{"brave", "a & b", tool.Domains{}, map[string]any{"q": "a & b", "count": "20", "text_decorations": "false", "result_filter": "web"}},
		{"brave", "a", one, map[string]any{"q": "a site:go.dev", "count": "20", "text_decorations": "false", "result_filter": "web"}},
		{"brave", "a", narrow, map[string]any{"q": "a (site:go.dev OR site:pkg.go.dev) -site:x.example", "count": "20", "text_decorations": "false", "result_filter": "web"}},
		{"brave", long, narrow, map[string]any{"q": long + " (site:go.dev OR site:pkg.go.dev) -site:x.example", "count": "20", "text_decorations": "false", "result_filter": "web"}},
		{"brave", long + " x", narrow, map[string]any{"q": long + " x", "count": "20", "text_decorations": "false", "result_filter": "web"}},
		{"brave", strings.Repeat("x", 380), narrow, map[string]any{"q": strings.Repeat("x", 380), "count": "20", "text_decorations": "false", "result_filter": "web"}},
		{"tavily", "a & b", tool.Domains{}, map[string]any{"query": "a & b", "max_results": 20.0}},
		{"tavily", "a", narrow, map[string]any{"query": "a", "max_results": 20.0, "include_domains": []any{"go.dev", "pkg.go.dev"}, "exclude_domains": []any{"x.example"}}},
		{"searxng", "a & b", tool.Domains{}, map[string]any{"q": "a & b", "format": "json"}},
		{"searxng", "a", narrow, map[string]any{"q": "a (site:go.dev OR site:pkg.go.dev) -site:x.example", "format": "json"}},
	} {
		s := shapes[slices.IndexFunc(shapes, func(s shape) bool { return s.api == test.api })]
		var got asked
		searcher := s.serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = asked{r.Method, r.URL.Path, r.Header, r.URL.Query(), body}
			io.WriteString(w, s.answer())
		})
		if _, err := searcher.SearchDomains(t.Context(), test.query, 30, test.domains); err != nil {
			t.Fatal(err)
		}
		if got.method != s.method || got.path != s.path || got.header.Get(s.header) != s.secret || got.header.Get("Accept") != "application/json" {
			t.Errorf("%s: %s %s %v", s.api, got.method, got.path, got.header)
		}
		if diff := cmp.Diff(test.want, s.query(&got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.api, diff)
		}
	}
}

// Brave leaves the pages out where it finds none; instances of SearXNG say who kept silent.
func TestNothingFound(t *testing.T) {
	ask := func(s shape, body string) string {
		hits, err := s.serve(t, say(200, "application/json", body)).Search(t.Context(), "q", 8)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(hits)
	}
	if got := ask(shapes[0], `{"type":"search","query":{"original":"q"}}`); got != "[]" {
		t.Error(got)
	}
	got := ask(shapes[2], `{"results":[],"unresponsive_engines":[["google","timeout"],["bing","access\ndenied"],7]}`)
	if got != "nothing was found, but these engines of the instance gave no answer: google: timeout, bing: access denied" {
		t.Error(got)
	}
}

func TestHostileAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, s shape) {
		strange := "the answer is not what this search API says: check its base_url"
		for _, test := range []struct {
			name    string
			handler http.HandlerFunc
			want    string
		}{
			{"a web page", say(200, "text/html", "<html><p>hi"), strange},
			{"nothing", say(200, "application/json", ""), strange},
			{"no content", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, strange},
			{"null", say(200, "application/json", "null"), strange},
			{"a list", say(200, "application/json", "[]"), strange},
			{"another object", say(200, "application/json", `{"status":"ok"}`), strange},
			{"results of another type", say(200, "application/json", fmt.Sprintf(s.wrap, `"x"`)), strange},
			{"only strange results", say(200, "application/json", s.answer(`7`, `{"title":[],"url":"https://x.example"}`)), strange},
			{"half of it", say(200, "application/json", s.answer(s.result("a", "https://a.example", "b"))[:60]), strange},
			{"two objects", say(200, "application/json", s.answer()+"{}"), strange},
			{"too deep", say(200, "application/json", s.answer(strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000))), strange},
			{"too long", say(200, "application/json", s.answer(s.result("a", "https://a.example", strings.Repeat("x", maxAnswer)))), "the answer of the search service is longer than 2097152 bytes"},
			{"cut", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1000")
				io.WriteString(w, `{"results":[`)
			}, "the answer of the search service was cut off: unexpected EOF"},
			{"broken", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "the search service gives no answer: EOF"},
		} {
			t.Run(test.name, func(t *testing.T) {
				hits, err := s.serve(t, test.handler).Search(t.Context(), "q", 8)
				if err == nil || err.Error() != test.want || hits != nil {
					t.Errorf("got %v, %v; want %s", hits, err, test.want)
				}
			})
		}
		t.Run("as long as may be", func(t *testing.T) {
			short := s.answer(s.result("a", "https://a.example", ""))
			body := s.answer(s.result("a", "https://a.example", strings.Repeat("x", maxAnswer-len(short))))
			if hits, err := s.serve(t, say(200, "", body)).Search(t.Context(), "q", 8); err != nil || len(hits) != 1 || len(body) != maxAnswer {
				t.Errorf("%d hits of %d bytes, %v", len(hits), len(body), err)
			}
		})
	})
}

func TestStatuses(t *testing.T) {
	everywhere(t, func(t *testing.T, s shape) {
		forbidden := "the search service refuses access (HTTP 403)"
		if s.api == "searxng" {
			forbidden = "the search service refuses access, or its settings do not allow the format json (HTTP 403)"
		}
		for _, test := range []struct {
			status int
			body   string
			want   string
		}{
			{401, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`, "the search service refuses the key (HTTP 401): Unauthorized: missing or invalid API key"},
			{403, "<html>Forbidden</html>", forbidden},
			{404, "not found", "the search service has no search there: check its base_url (HTTP 404)"},
			{402, "", "the search service wants to be paid (HTTP 402)"},
			{422, `{"type":"ErrorResponse","error":{"id":"1","status":422,"code":"VALIDATION","detail":"Unable to\n validate request"}}`, "the search service does not take the query (HTTP 422): Unable to validate request"},
			{429, `{"error":"Too many"}`, "the search service says that the limit of searches is reached (HTTP 429), try again in 7 s: Too many"},
			{432, `{"detail":{"error":"This request exceeds your plan's set usage limit."}}`, "the search service says that the plan's searches are used up (HTTP 432): This request exceeds your plan's set usage limit"},
			{500, `{"message":"` + strings.Repeat("é", 300) + `"}`, "the search service has a failure of its own (HTTP 500): " + strings.Repeat("é", 199) + "…"},
			{503, `{"error":{"error":{"error":{"error":"too deep"}}}}`, "the search service has a failure of its own (HTTP 503)"},
			{418, `{"detail":7}`, "the search service refuses the search (HTTP 418)"},
		} {
			searcher := s.serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", "7")
				say(test.status, "application/json", test.body)(w, r)
			})
			if _, err := searcher.Search(t.Context(), "q", 8); err == nil || err.Error() != test.want {
				t.Errorf("%d: %v\nwant %s", test.status, err, test.want)
			}
		}
	})
}

// A search ends with its context, at whatever place the service is slow.
func TestSlow(t *testing.T) {
	everywhere(t, func(t *testing.T, s shape) {
		for _, begun := range []bool{false, true} {
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped := errors.New("interrupted")
			left := make(chan struct{})
			searcher := s.serve(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // only then does the server notice that its client left
				if begun {
					io.WriteString(w, `{"results":[`)
					http.NewResponseController(w).Flush()
				}
				cancel(stopped)
				<-r.Context().Done()
				close(left)
			})
			if _, err := searcher.Search(ctx, "q", 8); err != stopped {
				t.Errorf("begun %t: %v", begun, err)
			}
			<-left
		}
	})
}

func TestRedirects(t *testing.T) {
	everywhere(t, func(t *testing.T, s shape) {
		other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			t.Errorf("another host was asked: %s, header %v", r.URL, r.Header)
		}))
		t.Cleanup(other.Close)
		away := "the search service gives no answer: it redirects to another host, and the key stays with this one"
		for _, test := range []struct {
			name string
			to   func(r *http.Request) string
			want string // "": it is followed
		}{
			{"to another host", func(*http.Request) string { return other.URL + s.path }, away},
			{"to another scheme", func(*http.Request) string { return "ftp://x.example" }, away},
			{"in a circle", func(r *http.Request) string { return r.URL.Path + "?again" }, "the search service gives no answer: it redirects in a circle"},
			{"at home", func(*http.Request) string { return "/moved" }, ""},
		} {
			searcher := s.serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/moved" {
					if r.Header.Get(s.header) != s.secret {
						t.Error("the key is lost")
					}
					io.WriteString(w, s.answer())
					return
				}
				http.Redirect(w, r, test.to(r), http.StatusTemporaryRedirect)
			})
			_, err := searcher.Search(t.Context(), "q", 8)
			if got := fmt.Sprint(err); got != test.want && (test.want != "" || err != nil) {
				t.Errorf("%s: %s", test.name, got)
			}
		}
	})
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// Neither a service nor a transport can make an error show the key, or the query.
func TestKeyIsNotShown(t *testing.T) {
	everywhere(t, func(t *testing.T, s shape) {
		long := strings.Repeat("x", maxReason-10) + key // the end of an excerpt falls into it
		for _, searcher := range []tool.Searcher{
			s.serve(t, say(401, "application/json", `{"error":"bad key `+key+`"}`)),
			s.serve(t, say(500, "application/json", `{"error":"`+long+`"}`)),
			s.serve(t, say(200, "text/plain", key)),
			s.serve(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://"+key+".example/", http.StatusFound)
			}),
			s.at(t, "http://x.example", failing{errors.New("dial with " + key)}),
			s.at(t, "http://x.example", failing{fmt.Errorf("header %q", "Bearer "+key)}),
		} {
			_, err := searcher.Search(t.Context(), "the query", 8)
			shown := fmt.Sprintf("%v %+v", err, err)
			for ; err != nil; err = errors.Unwrap(err) {
				shown += fmt.Sprintf(" %#v", err)
			}
			if strings.Contains(shown, key[:9]) || strings.Contains(shown, "the query") || strings.Contains(shown, "the+query") {
				t.Errorf("error shows too much: %s", shown)
			}
		}
	})
}

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    string // part of the error; "": none
	}{
		{Options{API: "brave", Key: key}, ""},
		{Options{API: "tavily", Key: " " + key + "\n", BaseURL: "https://proxy.example/tavily/"}, ""},
		{Options{API: "searxng", BaseURL: "http://127.0.0.1:8080/searxng"}, ""},
		{Options{API: "google", Key: key}, `no search API "google": use one of brave, searxng, tavily`},
		{Options{}, `no search API ""`},
		{Options{API: "brave"}, "needs a key"},
		{Options{API: "tavily", Key: " \n"}, "needs a key"},
		{Options{API: "brave", Key: key + "\r\nX: y"}, "characters that no key has"},
		{Options{API: "searxng"}, "needs a base_url"},
		{Options{API: "searxng", BaseURL: "searx.example"}, "no http or https address"},
		{Options{API: "searxng", BaseURL: "file:///etc"}, "no http or https address"},
		{Options{API: "searxng", BaseURL: "https://me:" + key + "@searx.example"}, "user name or password"},
		{Options{API: "searxng", BaseURL: "https://searx.example/?token=" + key}, "query or fragment"},
		{Options{API: "searxng", BaseURL: "https://searx.example/%zz" + key}, "cannot be read"},
	} {
		searcher, err := New(test.options)
		switch {
		case test.want == "" && (err != nil || searcher == nil):
			t.Errorf("%+v: %v", test.options, err)
		case test.want != "" && (err == nil || searcher != nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), key)):
			t.Errorf("%+v: %v, want %s", test.options, err, test.want)
		}
	}
}

type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c))), Request: r}, nil
}

// Whatever a service says becomes at most so many hits with an address, or a sentence.
func FuzzAnswer(f *testing.F) {
	for _, s := range shapes {
		f.Add(s.answer(s.result("a", "https://a.example", "b"), `7`))
		f.Add(s.answer())
	}
	f.Add(`{"results":[],"unresponsive_engines":[["a","b"],[],{}]}`)
	f.Add(`{"type":"search"}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, s := range shapes {
			hits, err := s.at(t, "http://x.example", canned(body)).Search(t.Context(), "q", 3)
			if err != nil && (err.Error() == "" || hits != nil) || len(hits) > 3 {
				t.Errorf("%s: %v, %v", s.api, hits, err)
			}
			for _, hit := range hits {
				if hit.URL == "" {
					t.Errorf("%s: a hit without an address", s.api)
				}
			}
		}
	})
}
