package websearch

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/text"
	"parley.dev/parley/internal/tool"
)

// A searxng is a client of an instance of SearXNG, "Search API". The instance's settings must
// allow the format json; the API has no parameter for the number of results.
type searxng struct {
	*client
}

type searxngAnswer struct {
	Results []jsontext.Value `json:"results"`
	Failed  []jsontext.Value `json:"unresponsive_engines"` // pairs of a name and a reason
}

type searxngResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Content string `json:"content"`
}

// Search implements [tool.Searcher]. An empty result is an error if some of the engines of the
// instance did not answer.
func (s *searxng) Search(ctx context.Context, query string, limit int) ([]event.SearchHit, error) {
	request, err := s.request(ctx, http.MethodGet, "search", url.Values{"q": {query}, "format": {"json"}}, nil)
	if err != nil {
		return nil, err
	}
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+s.key)
	}
	var answer searxngAnswer
	if err := s.ask(request, &answer); err != nil {
		return nil, err
	}
	hits, ok := hitsOf(answer.Results, limit, func(r searxngResult) event.SearchHit {
		return event.SearchHit{Title: r.Title, URL: r.URL, Snippet: r.Content}
	})
	if !ok || answer.Results == nil {
		return nil, s.strange()
	}
	if len(hits) == 0 && len(answer.Failed) > 0 {
		return nil, s.failed("nothing was found, but these engines of the instance gave no answer: %s", text.FitRunes(names(answer.Failed), maxReason, "…"))
	}
	return hits, nil
}

// SearchDomains implements [tool.DomainSearcher] by operators in the query; not every engine
// supports them.
func (s *searxng) SearchDomains(ctx context.Context, query string, limit int, domains tool.Domains) ([]event.SearchHit, error) {
	return s.Search(ctx, withSites(query, domains), limit)
}

func names(engines []jsontext.Value) string {
	var all []string
	for _, engine := range engines {
		var pair []string
		if json.Unmarshal(engine, &pair, lenient.Get()) == nil && len(pair) > 0 {
			all = append(all, text.Printable(strings.Join(pair, ": ")))
		}
	}
	return strings.Join(all, ", ")
}
