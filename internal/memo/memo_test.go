package memo

import (
	"sync"
	"testing"
)

func TestMemo(t *testing.T) {
	asked := 0
	m := Memo[int, int]{Most: 3}
	square := func(n int) int { asked++; return n * n }
	for _, test := range []struct{ question, asked int }{
		{1, 1}, {1, 1}, {2, 2}, {3, 3}, {1, 3}, {4, 4}, {4, 4}, {1, 5}, {4, 5},
	} {
		if got := m.Of(test.question, square); got != test.question*test.question || asked != test.asked {
			t.Errorf("of %d: %d, asked %d times, want %d", test.question, got, asked, test.asked)
		}
		if len(m.kept) > m.Most {
			t.Errorf("%d answers are kept", len(m.kept))
		}
	}
}

// TestMany asks from many sides at once, more than is kept.
func TestMany(t *testing.T) {
	m := Memo[int, int]{Most: 4}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 100 {
				if got := m.Of(n%7, func(n int) int { return -n }); got != -(n % 7) {
					t.Errorf("of %d: %d", n%7, got)
				}
			}
		})
	}
	all.Wait()
}
