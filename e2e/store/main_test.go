//go:build linux

package store

import (
	"fmt"
	"os"
	"testing"

	"parley.dev/parley/internal/transcript"
)

// atOnce is how many cells run side by side, on any number of processors: they wait more than they work.
const atOnce = 16

func TestMain(m *testing.M) {
	if spec := os.Getenv(writerEnv); spec != "" {
		if err := runWriter(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	transcript.AtOnce(atOnce)
	os.Exit(m.Run())
}
