package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// searcher is a service that answers with hits or err, and keeps what it was asked.
type searcher struct {
	hits  []event.SearchHit
	err   error
	query string
	limit int
}

func (s *searcher) Search(_ context.Context, query string, limit int) ([]event.SearchHit, error) {
	s.query, s.limit = query, limit
	return s.hits, s.err
}

// A domainSearcher is a searcher that can be limited to domains.
type domainSearcher struct {
	searcher
	domains Domains
}

func (s *domainSearcher) SearchDomains(ctx context.Context, query string, limit int, domains Domains) ([]event.SearchHit, error) {
	s.domains = domains
	return s.Search(ctx, query, limit)
}

// silent is a service that never answers.
type silent struct{ asked chan struct{} }

func (s silent) Search(ctx context.Context, _ string, _ int) ([]event.SearchHit, error) {
	close(s.asked)
	<-ctx.Done()
	return nil, ctx.Err()
}

func prepareSearch(t testing.TB, s Searcher, in map[string]any) (Call, error) {
	t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return Search().Prepare(&Env{Searcher: s}, input)
}

func runSearch(t testing.TB, s Searcher, in map[string]any) Result {
	t.Helper()
	call, err := prepareSearch(t, s, in)
	if err != nil {
		t.Fatal(err)
	}
	return call.Run(t.Context(), Hooks{})
}

func TestSearchAvailable(t *testing.T) {
	optional := Search().(Optional)
	if optional.Available(&Env{}) || !optional.Available(&Env{Searcher: &searcher{}}) {
		t.Error("it is available by something else than its Searcher")
	}
	if _, err := prepareSearch(t, nil, map[string]any{"query": "a"}); err == nil || !strings.Contains(err.Error(), "no search service is configured") {
		t.Error(err)
	}
}

func TestSearchResults(t *testing.T) {
	s := &searcher{hits: []event.SearchHit{
		{Title: "The <strong>Go</strong> &amp; you", URL: "https://go.dev/doc", Snippet: "a\n b"},
		{Title: "again", URL: "https://go.dev/doc"},
		{Title: " ", URL: "HTTPS://Example.com/a b?c d"},
		{Title: "bad", URL: "javascript:alert(1)"},
		{Title: "bad", URL: "https://user:secret@example.com/"},
		{Title: "bad", URL: "https://example.com/" + strings.Repeat("x", 2000)},
		{Title: "bad", URL: "https://example.com/?\u202e"},
		{Title: "bad"},
		{Title: "Three", URL: "http://three.example", Snippet: "<br>"},
		{Title: "Four", URL: "http://four.example"},
	}}
	r := runSearch(t, s, map[string]any{"query": " go \n\x1b[31m\u200bnews ", "limit": 3})
	want := []event.SearchHit{
		{Title: "The Go & you", URL: "https://go.dev/doc", Snippet: "a b"},
		{Title: "Example.com", URL: "https://Example.com/a%20b?c%20d"},
		{Title: "Three", URL: "http://three.example"},
	}
	if r.IsError || s.query != "go [31mnews" || s.limit != 3 || r.Search.Query != s.query {
		t.Errorf("%q, asked for %q, %d, the result has %+v", r.Text, s.query, s.limit, r.Search)
	}
	if diff := cmp.Diff(want, r.Search.Results); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if want := "1. The Go & you\n   https://go.dev/doc\n   a b\n2. Example.com\n   https://Example.com/a%20b?c%20d\n3. Three\n   http://three.example\n"; r.Text != want {
		t.Errorf("%q\nwant %q", r.Text, want)
	}
	if runSearch(t, s, map[string]any{"query": "go"}); s.limit != 8 {
		t.Errorf("default limit %d", s.limit)
	}
}

// As many hits as there can be, as long as they can be, fit a result.
func TestSearchFitsItsResult(t *testing.T) {
	s := &searcher{}
	for i := range 30 {
		s.hits = append(s.hits, event.SearchHit{
			Title: strings.Repeat("\U0001F600", 300), Snippet: strings.Repeat("\U0001F600", 5000),
			URL: fmt.Sprintf("https://example.com/%02d", i) + strings.Repeat("x", 2000-22),
		})
	}
	r := runSearch(t, s, map[string]any{"query": strings.Repeat("x", 400), "limit": 20})
	if len(r.Search.Results) != 20 || len(r.Text) > 100<<10 || !strings.Contains(r.Text, "…\n20. ") || len(r.Search.Results[19].URL) != 2000 {
		t.Errorf("%d hits, %d bytes", len(r.Search.Results), len(r.Text))
	}
}

func TestSearchFindsNothing(t *testing.T) {
	hits := []event.SearchHit{{Title: "a", URL: "https://a.example"}}
	for _, tc := range []struct {
		hits []event.SearchHit
		in   map[string]any
		want string
	}{
		{nil, map[string]any{"query": "a\"b"}, `nothing was found for "a\"b"`},
		{hits, map[string]any{"query": "a", "blocked_domains": []string{"a.example"}}, `nothing was found for "a" on the domains that are allowed`},
	} {
		r := runSearch(t, &searcher{hits: tc.hits}, tc.in)
		if r.Text != tc.want || r.IsError || r.Search == nil || r.Search.Results == nil || len(r.Search.Results) > 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestSearchDomains(t *testing.T) {
	hits := []event.SearchHit{
		{Title: "1", URL: "https://python.org/"},
		{Title: "2", URL: "https://Docs.Python.org./3"},
		{Title: "3", URL: "https://notpython.org/"},
		{Title: "4", URL: "https://python.org.evil.example/"},
		{Title: "5", URL: "https://bücher.example:8080/"},
		{Title: "6", URL: "http://[::1]/"},
	}
	for _, tc := range []struct {
		allowed, blocked []string
		want             string
		domains          Domains
	}{
		{nil, nil, "123456", Domains{}},
		{[]string{}, []string{}, "123456", Domains{}},
		{[]string{"python.org"}, nil, "12", Domains{Allowed: []string{"python.org"}}},
		{[]string{" https://WWW.Python.org/ ", "*.python.org", ".python.org."}, nil, "12", Domains{Allowed: []string{"www.python.org", "python.org"}}},
		{nil, []string{"python.org"}, "3456", Domains{Blocked: []string{"python.org"}}},
		{[]string{"python.org"}, []string{"docs.python.org"}, "1", Domains{Allowed: []string{"python.org"}, Blocked: []string{"docs.python.org"}}},
		{[]string{"bücher.example", "org"}, nil, "1235", Domains{Allowed: []string{"bücher.example", "org"}}},
	} {
		s := &domainSearcher{searcher: searcher{hits: hits}}
		for _, s := range []Searcher{s, &searcher{hits: hits}} { // whether or not the service is of help
			got := ""
			for _, hit := range runSearch(t, s, map[string]any{"query": "a", "limit": 7, "allowed_domains": tc.allowed, "blocked_domains": tc.blocked}).Search.Results {
				got += hit.Title
			}
			if got != tc.want {
				t.Errorf("%v but %v: %s, want %s", tc.allowed, tc.blocked, got, tc.want)
			}
		}
		wish := 7
		if !tc.domains.none() {
			wish = 20
		}
		if diff := cmp.Diff(tc.domains, s.domains); diff != "" || s.limit != wish {
			t.Errorf("asked for %d (-want +got):\n%s", s.limit, diff)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	many := make([]string, 51)
	for i := range many {
		many[i] = "a.example"
	}
	for _, tc := range []struct {
		in   map[string]any
		want string
	}{
		{map[string]any{"query": ""}, "the query is empty"},
		{map[string]any{"query": " \n\u200b"}, "the query is empty"},
		{map[string]any{"query": strings.Repeat("é", 401)}, "the query has 401 characters: use at most 400"},
		{map[string]any{"query": "a", "limit": 0}, "limit is 0"},
		{map[string]any{"query": "a", "limit": 21}, "limit is 21"},
		{map[string]any{"query": "a", "other": 1}, "the input cannot be read"},
		{map[string]any{"query": "a", "allowed_domains": []string{""}}, `allowed_domains: "" is not a domain`},
		{map[string]any{"query": "a", "allowed_domains": []string{"python.org/3"}}, `allowed_domains: "python.org/3" is not a domain`},
		{map[string]any{"query": "a", "blocked_domains": []string{"a.example", "a..b"}}, `blocked_domains: "a..b" is not a domain`},
		{map[string]any{"query": "a", "blocked_domains": []string{"a b"}}, "is not a domain"},
		{map[string]any{"query": "a", "blocked_domains": []string{"a\u00a0b"}}, "is not a domain"},
		{map[string]any{"query": "a", "blocked_domains": []string{"a.example) OR site:b.example"}}, "is not a domain"},
		{map[string]any{"query": "a", "blocked_domains": []string{"*"}}, "is not a domain"},
		{map[string]any{"query": "a", "blocked_domains": many}, "blocked_domains has 51 entries: use at most 50"},
	} {
		if _, err := prepareSearch(t, &searcher{}, tc.in); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v", tc.in, err)
		}
	}
	if _, err := prepareSearch(t, &searcher{}, map[string]any{"query": strings.Repeat("é", 400)}); err != nil {
		t.Error(err)
	}
}

func TestSearchRequest(t *testing.T) {
	call, err := prepareSearch(t, &searcher{}, map[string]any{"query": "go\nnews"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(approval.Request{Level: approval.Read, Summary: "search go news"}, call.Request()); diff != "" {
		t.Error(diff)
	}
}

func TestSearchFails(t *testing.T) {
	r := runSearch(t, &searcher{err: errors.New("the search service refuses the key (HTTP 401)")}, map[string]any{"query": "a"})
	if !r.IsError || r.Text != `the web could not be searched for "a": the search service refuses the key (HTTP 401)` || r.Search != nil {
		t.Errorf("%+v", r)
	}
}

// A search ends with its context, and after 20 s.
func TestSearchEnds(t *testing.T) {
	for _, interrupted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := silent{make(chan struct{})}
			call, err := prepareSearch(t, s, map[string]any{"query": "a"})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			want, after := "no answer within 20 s", 20*time.Second
			if interrupted {
				want, after = "interrupted", 0
				go func() {
					<-s.asked
					cancel(errors.New("interrupted"))
				}()
			}
			began := time.Now()
			r := call.Run(ctx, Hooks{})
			if took := time.Since(began); took != after || !r.IsError || r.Text != `the web could not be searched for "a": `+want {
				t.Errorf("after %s: %+v", took, r)
			}
		})
	}
}

func TestCleanText(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                           "plain",
		" a \n\tb\u00a0c ":                "a b c",
		"<strong>Go</strong>lang":         "Golang",
		"a<br/>b<p>c</p>":                 "a b c",
		"Tom &amp; Jerry &lt;b&gt; &#39;": "Tom & Jerry <b> '",
		"&amp;lt;":                        "&lt;",
		"use List<String> and a < b > c":  "use List<String> and a < b > c",
		"Map<String, int>":                "Map<String, int>",
		"a <script>alert(1)</script> b":   "a b",
		"a <!-- hidden --> b":             "a b",
		"cut <stro":                       "cut <stro",
		"cut <strong":                     "cut",
		"cut <a href='x":                  "cut",
		"x <y and the rest":               "x <y and the rest",
		"\x1b[31mred\x07":                 "[31mred",
		"\u202eevil\u2066\U000E0041":      "evil",
		"zero\u200bwidth, \u200d joiner":  "zerowidth, \u200d joiner",
		"\xff":                            "\uFFFD",
		strings.Repeat("é", 20):           strings.Repeat("é", 20),
		strings.Repeat("é", 41):           strings.Repeat("é", 39) + "…",
	} {
		if got := cleanText(text, 40); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Whatever a service says is one line of UTF-8 that fits.
func FuzzCleanText(f *testing.F) {
	for _, text := range []string{"<b>a</b>", "a<", "</", "<!", "<script>", "&#x1b;", "&#0;", "<textarea>a", "<plaintext>b", "List<String>", "\xff<\xfe>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := cleanText(text, 50)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 50 || plainLine(got) != got {
			t.Errorf("%q became %q", text, got)
		}
	})
}
