package tool

import (
	"context"

	"parley.dev/parley/internal/event"
)

// A Searcher searches the web through some service.
type Searcher interface {
	// Search gives at most limit hits, the best first. The error is a sentence for the model.
	Search(ctx context.Context, query string, limit int) ([]event.SearchHit, error)
}
