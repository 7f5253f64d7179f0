package sse

import (
	"sync"

	"parley.dev/parley/internal/cache"
	"parley.dev/parley/internal/model"
)

// maxLists is the number of encoded lists of tools that are cached: those of a few kinds of sessions.
const maxLists = 8

// Tools caches encoded lists of tools. All requests of a session have the same tools, and encoding
// them takes longer than encoding the rest of a short request. The zero value is ready.
type Tools struct {
	once  sync.Once
	lists cache.LRU[model.ToolSpecs, []byte]
}

// list returns specs as encode encodes them.
func (t *Tools) list(specs []model.ToolSpec, encode func() ([]byte, error)) ([]byte, error) {
	t.once.Do(func() { t.lists.Max = maxLists })
	return t.lists.Get(specs, encode)
}

func array[T marshaler](all []T) ([]byte, error) {
	data := []byte("[")
	for i, one := range all {
		if i > 0 {
			data = append(data, ',')
		}
		part, err := one.MarshalJSON()
		if err != nil {
			return nil, err
		}
		data = append(data, part...)
	}
	return append(data, ']'), nil
}
