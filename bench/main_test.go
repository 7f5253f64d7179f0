package main

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) {
	code := transcript.RemoveBuild(m.Run())
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
