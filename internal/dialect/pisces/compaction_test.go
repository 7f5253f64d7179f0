package pisces

import "testing"

func TestCompactionPolicy(t *testing.T) {
	for _, test := range []struct {
		name        string
		p           compactionPolicy
		window      int
		limit, keep int
	}{
		{"a reserve", compactionPolicy{reserve: 16_384}, 100_000, 83_616, 0},
		{"15 % is more", compactionPolicy{reserve: 16_384}, 1_000_000, 850_000, 0},
		{"a reserve that is too large", compactionPolicy{reserve: 16_384}, 8192, 4096, 0},
		{"tokens", compactionPolicy{threshold: 50_000, reserve: 16_384, keep: 20_000}, 100_000, 50_000, 20_000},
		{"a part of the window", compactionPolicy{percent: 60, threshold: 50_000, reserve: 16_384}, 200_000, 120_000, 0},
		{"a small window", compactionPolicy{reserve: 1, keep: 20_000}, 8192, 6964, 2048},
	} {
		plan := test.p.Plan(test.window, 10_000)
		if plan.Limit != test.limit || plan.Keep != test.keep {
			t.Errorf("%s: limit %d, %d tokens stay; want %d and %d", test.name, plan.Limit, plan.Keep, test.limit, test.keep)
		}
	}
}
