package cache

import (
	"slices"
	"sync"
)

// A Key is a key of an LRU. Equal reports whether two keys have the same value. Clone returns the
// key that an LRU stores, which the caller does not change later.
type Key[K any] interface {
	Equal(other K) bool
	Clone() K
}

// An LRU is a cache of the Max values that were used last, for keys that cannot be keys of a map. It
// is safe for concurrent use; the zero value stores one value.
type LRU[K Key[K], V any] struct {
	Max int

	mu      sync.Mutex
	entries []entry[K, V] // the one that was used last is first
}

type entry[K, V any] struct {
	key   K
	value V
}

// Get returns the value of key. If it is not in the cache, Get calls load and stores the result,
// unless load returns an error. Other calls wait meanwhile.
func (l *LRU[K, V]) Get(key K, load func() (V, error)) (V, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.entries, func(e entry[K, V]) bool { return e.key.Equal(key) })
	if i < 0 {
		value, err := load()
		if err != nil {
			return value, err
		}
		i = min(len(l.entries), max(l.Max, 1)-1)
		l.entries = append(l.entries[:i], entry[K, V]{key.Clone(), value})
	}
	found := l.entries[i]
	copy(l.entries[1:i+1], l.entries[:i])
	l.entries[0] = found
	return found.value, nil
}
