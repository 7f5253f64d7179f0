package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
)

//go:embed search.md
var searchDescription string

// The length of a query is not in the schema: those that others show for this tool leave it out.
const searchSchema = `{
	"type": "object",
	"properties": {
		"query": {"type": "string"},
		"limit": {"type": "integer", "minimum": 1, "maximum": 20, "description": "Number of results; default 8"},
		"allowed_domains": {"type": "array", "items": {"type": "string"}, "description": "Only from these domains"},
		"blocked_domains": {"type": "array", "items": {"type": "string"}, "description": "Not from these domains"}
	},
	"required": ["query"],
	"additionalProperties": false
}`

const (
	searchTimeout  = 20 * time.Second
	searchQuery    = 400 // runes
	searchHits     = 8
	searchMostHits = 20
)

// A Searcher searches the web through some service.
type Searcher interface {
	// Search gives at most limit hits, the best first. The error is a sentence for the model.
	Search(ctx context.Context, query string, limit int) ([]event.SearchHit, error)
}

// A DomainSearcher is a Searcher whose service can be limited to domains. What it is given
// is a wish: the tool leaves out what does not keep to it.
type DomainSearcher interface {
	Searcher
	SearchDomains(ctx context.Context, query string, limit int, domains Domains) ([]event.SearchHit, error)
}

// Search returns the tool that searches the web; see [Env.Searcher].
func Search() Tool { return searchTool{} }

type searchTool struct{}

func (searchTool) Name() string           { return "search" }
func (searchTool) Description() string    { return searchDescription }
func (searchTool) Schema() jsontext.Value { return jsontext.Value(searchSchema) }

// OfferedSchema leaves out what the tools of protocols need.
func (searchTool) OfferedSchema(*Env) jsontext.Value { return offeredSearch.Get() }

var offeredSearch = lazy.Value[jsontext.Value]{New: func() jsontext.Value { return schemaWithout(searchSchema, "blocked_domains") }}

func (searchTool) Available(env *Env) bool { return env.Searcher != nil }

type searchInput struct {
	Query   string   `json:"query"`
	Limit   int      `json:"limit"`
	Allowed []string `json:"allowed_domains"`
	Blocked []string `json:"blocked_domains"`
}

func (searchTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	in := searchInput{Limit: searchHits}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	if env.Searcher == nil {
		return nil, errors.New("the web cannot be searched: no search service is configured")
	}
	query := plainLine(in.Query)
	switch n := utf8.RuneCountInString(query); {
	case n == 0:
		return nil, errors.New("the query is empty: say what to search for")
	case n > searchQuery:
		return nil, fmt.Errorf("the query has %d characters: use at most %d", n, searchQuery)
	case in.Limit < 1 || in.Limit > searchMostHits:
		return nil, fmt.Errorf("limit is %d: it goes from 1 to %d", in.Limit, searchMostHits)
	}
	domains, err := newDomains(in.Allowed, in.Blocked)
	if err != nil {
		return nil, err
	}
	return &searchCall{searcher: env.Searcher, query: query, limit: in.Limit, domains: domains}, nil
}

// plainLine returns text as one line: white space collapsed, without other control or
// invisible characters.
func plainLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\u200c' || r == '\u200d': // joiners belong to the spelling of some languages, and to emoji
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}

type searchCall struct {
	searcher Searcher
	query    string
	limit    int
	domains  Domains
}

func (c *searchCall) Request() approval.Request {
	return approval.Request{Level: approval.Read, Summary: "search " + c.query}
}

func (c *searchCall) Run(ctx context.Context, _ Hooks) Result {
	ctx, cancel := context.WithTimeoutCause(ctx, searchTimeout, fmt.Errorf("no answer within %g s", searchTimeout.Seconds()))
	defer cancel()
	hits, err := c.search(ctx)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return Failed(fmt.Sprintf("the web could not be searched for %q: %v", c.query, err))
	}
	found := c.keep(hits)
	return Result{Text: c.text(found), Search: &event.Search{Query: c.query, Results: found}}
}

// search asks for more than is shown where some hits may be left out.
func (c *searchCall) search(ctx context.Context) ([]event.SearchHit, error) {
	if c.domains.none() {
		return c.searcher.Search(ctx, c.query, c.limit)
	}
	if s, ok := c.searcher.(DomainSearcher); ok {
		return s.SearchDomains(ctx, c.query, searchMostHits, c.domains)
	}
	return c.searcher.Search(ctx, c.query, searchMostHits)
}

// keep returns the hits to show, each address once.
func (c *searchCall) keep(hits []event.SearchHit) []event.SearchHit {
	found := []event.SearchHit{}
	seen := make(map[string]bool)
	for _, hit := range hits {
		host, ok := cleanHit(&hit)
		if !ok || seen[hit.URL] || !c.domains.keep(host) {
			continue
		}
		seen[hit.URL] = true
		if found = append(found, hit); len(found) == c.limit {
			break
		}
	}
	return found
}

func (c *searchCall) text(found []event.SearchHit) string {
	if len(found) == 0 {
		where := ""
		if !c.domains.none() {
			where = " on the domains that are allowed"
		}
		return fmt.Sprintf("nothing was found for %q%s", c.query, where)
	}
	var text strings.Builder
	for i, hit := range found {
		fmt.Fprintf(&text, "%d. %s\n   %s\n", i+1, hit.Title, hit.URL)
		if hit.Snippet != "" {
			fmt.Fprintf(&text, "   %s\n", hit.Snippet)
		}
	}
	return text.String()
}
