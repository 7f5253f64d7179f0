//go:build linux

package store

import (
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// seedEnv is the environment variable with the seed of a run of the tests; the default is 1.
const seedEnv = "PARLEY_STORE_SEED"

// skipCluster skips a test with three servers, which take minutes, with -short.
func skipCluster(t testing.TB, replicas int) {
	t.Helper()
	if replicas > 1 && testing.Short() {
		t.Skip("three servers take minutes")
	}
}

func firstSeed(t testing.TB) uint64 {
	t.Helper()
	text := os.Getenv(seedEnv)
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedEnv, err)
	}
	return seed
}

// cellSeed returns the seed of a cell.
func cellSeed(seed uint64, name string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, name)
	return h.Sum64()
}

// A failure is a run that has failed once, as a line of seedsFile has it.
type failure struct {
	replicas int
	seed     uint64
	fault    string // randomFaults: a run of TestRandom
}

// randomFaults is the fault of the runs of TestRandom.
const randomFaults = "random"

func (f failure) String() string { return fmt.Sprintf("%d %d %s", f.replicas, f.seed, f.fault) }

// seedsFile has the runs that have failed once.
const seedsFile = "testdata/seeds.txt"

// failedSeeds returns the runs that have failed once.
func failedSeeds(t *testing.T) (all []failure) {
	t.Helper()
	text, err := os.ReadFile(seedsFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		var f failure
		if _, err := fmt.Sscan(line, &f.replicas, &f.seed, &f.fault); err != nil {
			t.Fatalf("%s: %q: %v", seedsFile, line, err)
		}
		all = append(all, f)
	}
	return all
}

// repeatable makes a test that fails log the command that repeats it.
func repeatable(t *testing.T, seed uint64, f failure, env ...string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			env = append(env, fmt.Sprintf("%s=%d", seedEnv, seed))
			t.Logf("repeat with: %s go test -count=1 -run '%s' ./e2e/store; the line for %s is: %s",
				strings.Join(env, " "), pattern(t.Name()), seedsFile, f)
		}
	})
}

// pattern returns the pattern of go test that matches one test.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
