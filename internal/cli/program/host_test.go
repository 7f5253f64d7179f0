package program

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
)

// TestElsewhere: commands of parley-host, their help and their completion are for it, and the pages of all commands.
func TestElsewhere(t *testing.T) {
	for words, want := range map[string]string{
		"batch list": "parley batch", "help worker": "parley worker", "__complete store ": "parley store", "man pages": "parley man",
		"": "", "help": "", "help run": "", "run batch": "", "__complete run ": "", "hosts": "",
	} {
		got := ""
		if err := elsewhere(strings.Fields(words)); err != nil {
			got = err.(*app.ElsewhereError).What
		}
		if got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

// TestReplacedOnce: a program that is executed in the place of parley executes no other one.
func TestReplacedOnce(t *testing.T) {
	err := replace(&app.ElsewhereError{What: "a store"}, cli.Version)
	if err == nil || !strings.Contains(err.Error(), "a store needs the program parley-host, and ") || !strings.Contains(err.Error(), " is another one") {
		t.Errorf("%v", err)
	}
}
