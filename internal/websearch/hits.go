package websearch

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
)

// hitsOf decodes at most limit results, each an object of type T. It omits those that are not as
// the API documents them, and returns false if that leaves none.
func hitsOf[T any](results []jsontext.Value, limit int, hit func(T) event.SearchHit) (hits []event.SearchHit, ok bool) {
	for _, raw := range results {
		if len(hits) >= limit {
			return hits, true
		}
		var result T
		if raw.Kind() != '{' || json.Unmarshal(raw, &result, lenient.Get()) != nil {
			continue
		}
		if h := hit(result); h.URL != "" {
			hits = append(hits, h)
		}
	}
	return hits, len(hits) > 0 || len(results) == 0
}
