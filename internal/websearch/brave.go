package websearch

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// The limits of Brave's web search.
const (
	braveHits  = 20
	braveRunes = 400
	braveWords = 50
)

// A brave is a client of the Brave Search API, "Web search".
type brave struct {
	*client
}

type braveAnswer struct {
	Type string `json:"type"` // "search"
	Web  *struct {
		Results []jsontext.Value `json:"results"`
	} `json:"web"` // absent: no pages were found
}

type braveResult struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Description string `json:"description"` // with markup and entities
}

// Search implements [tool.Searcher].
func (b *brave) Search(ctx context.Context, query string, limit int) ([]event.SearchHit, error) {
	values := url.Values{
		"q": {query}, "count": {strconv.Itoa(min(limit, braveHits))},
		"text_decorations": {"false"}, "result_filter": {"web"},
	}
	request, err := b.request(ctx, http.MethodGet, "res/v1/web/search", values, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Subscription-Token", b.key)
	var answer braveAnswer
	if err := b.ask(request, &answer); err != nil {
		return nil, err
	}
	if answer.Web == nil {
		if answer.Type != "search" {
			return nil, b.strange()
		}
		return nil, nil
	}
	hits, ok := hitsOf(answer.Web.Results, limit, func(r braveResult) event.SearchHit {
		return event.SearchHit{Title: r.Title, URL: r.URL, Snippet: r.Description}
	})
	if !ok {
		return nil, b.strange()
	}
	return hits, nil
}

// SearchDomains implements [tool.DomainSearcher] by operators in the query, if the query is not
// too long with them.
func (b *brave) SearchDomains(ctx context.Context, query string, limit int, domains tool.Domains) ([]event.SearchHit, error) {
	narrowed := withSites(query, domains)
	if utf8.RuneCountInString(narrowed) > braveRunes || len(strings.Fields(narrowed)) > braveWords {
		narrowed = query
	}
	return b.Search(ctx, narrowed, limit)
}
