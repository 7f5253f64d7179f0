package websearch

import (
	"bytes"
	"context"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// tavilyHits is the most results of one search.
const tavilyHits = 20

// A tavily is a client of the Tavily API, "Search".
type tavily struct {
	*client
}

type tavilyQuery struct {
	Query   string   `json:"query"`
	Max     int      `json:"max_results"`
	Include []string `json:"include_domains,omitempty"`
	Exclude []string `json:"exclude_domains,omitempty"`
}

type tavilyAnswer struct {
	Results []jsontext.Value `json:"results"`
}

type tavilyResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Content string `json:"content"`
}

// Search implements [tool.Searcher].
func (t *tavily) Search(ctx context.Context, query string, limit int) ([]event.SearchHit, error) {
	return t.SearchDomains(ctx, query, limit, tool.Domains{})
}

// SearchDomains implements [tool.DomainSearcher].
func (t *tavily) SearchDomains(ctx context.Context, query string, limit int, domains tool.Domains) ([]event.SearchHit, error) {
	body, err := json.Marshal(tavilyQuery{query, min(limit, tavilyHits), domains.Allowed, domains.Blocked})
	if err != nil {
		return nil, t.failed("the search service cannot be asked that: %v", err)
	}
	request, err := t.request(ctx, http.MethodPost, "search", nil, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+t.key)
	request.Header.Set("Content-Type", "application/json")
	var answer tavilyAnswer
	if err := t.ask(request, &answer); err != nil {
		return nil, err
	}
	hits, ok := hitsOf(answer.Results, limit, func(r tavilyResult) event.SearchHit {
		return event.SearchHit{Title: r.Title, URL: r.URL, Snippet: r.Content}
	})
	if !ok || answer.Results == nil {
		return nil, t.strange()
	}
	return hits, nil
}
