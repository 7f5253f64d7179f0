// Package cache has small bounded caches, for values that are expensive to compute and never change.
package cache

import "sync"

// Bounded is a cache of at most Max values. When one more is stored all others are removed: that
// bounds the memory without the bookkeeping of an eviction order, and callers with few keys never
// notice it. It is safe for concurrent use; the zero value with a Max is ready.
type Bounded[K comparable, V any] struct {
	Max int

	mu     sync.Mutex
	values map[K]V
}

// Get returns the value of key. If it is not in the cache, Get calls load and stores the result.
// Concurrent calls with the same key may each call load.
func (b *Bounded[K, V]) Get(key K, load func(K) V) V {
	b.mu.Lock()
	value, ok := b.values[key]
	b.mu.Unlock()
	if ok {
		return value
	}
	value = load(key)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.values == nil || len(b.values) >= b.Max {
		b.values = make(map[K]V)
	}
	b.values[key] = value
	return value
}
