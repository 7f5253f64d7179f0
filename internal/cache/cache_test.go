package cache

import (
	"errors"
	"sync"
	"testing"
)

func TestBounded(t *testing.T) {
	loads := 0
	b := Bounded[int, int]{Max: 3}
	square := func(n int) int { loads++; return n * n }
	for _, test := range []struct{ key, loads int }{
		{1, 1}, {1, 1}, {2, 2}, {3, 3}, {1, 3}, {4, 4}, {4, 4}, {1, 5}, {4, 5},
	} {
		if got := b.Get(test.key, square); got != test.key*test.key || loads != test.loads {
			t.Errorf("Get(%d): %d after %d loads, want %d", test.key, got, loads, test.loads)
		}
		if len(b.values) > b.Max {
			t.Errorf("%d values are stored", len(b.values))
		}
	}
}

// Many goroutines use more keys than the cache can store.
func TestBoundedConcurrent(t *testing.T) {
	b := Bounded[int, int]{Max: 4}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 100 {
				if got := b.Get(n%7, func(n int) int { return -n }); got != -(n % 7) {
					t.Errorf("Get(%d): %d", n%7, got)
				}
			}
		})
	}
	all.Wait()
}

// letters is a key that cannot be a key of a map.
type letters []byte

func (l letters) Equal(other letters) bool { return string(l) == string(other) }
func (l letters) Clone() letters           { return append(letters{}, l...) }

func TestLRU(t *testing.T) {
	loads := 0
	l := LRU[letters, string]{Max: 2}
	for _, test := range []struct {
		key   string
		loads int
	}{
		{"a", 1}, {"a", 1}, {"b", 2}, {"a", 2}, {"c", 3}, {"a", 3}, {"b", 4}, {"c", 5}, {"fails", 6}, {"fails", 7}, {"c", 7},
	} {
		key := letters(test.key)
		got, err := l.Get(key, func() (string, error) {
			loads++
			if test.key == "fails" {
				return "", errors.New("load fails")
			}
			return "value of " + test.key, nil
		})
		key[0] = 'x' // the cache has a clone
		if (err != nil) != (test.key == "fails") || err == nil && got != "value of "+test.key || loads != test.loads {
			t.Errorf("Get(%s): %q, %v after %d loads, want %d", test.key, got, err, loads, test.loads)
		}
	}
}
