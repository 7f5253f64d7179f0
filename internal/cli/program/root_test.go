package program

import (
	"slices"
	"strings"
	"testing"
)

// TestCommandsByName: each command has the name under which it is found, and the list is sorted.
func TestCommandsByName(t *testing.T) {
	var names []string
	for _, c := range commands {
		if cmd := c.make(joining{}); cmd.Name() != c.name {
			t.Errorf("%s is found as %s", cmd.Name(), c.name)
		}
		names = append(names, c.name)
	}
	if !slices.IsSorted(names) {
		t.Errorf("the commands are not sorted: %v", names)
	}
}

// TestOneCommand: a command line that begins with a command makes no other.
func TestOneCommand(t *testing.T) {
	for _, c := range commands {
		all := len(newRoot(joining{}, []string{c.name, "--help"}, nil).Commands())
		if c.name == manName && all < len(commands) || c.name != manName && all != 1 {
			t.Errorf("%s: %d commands are made", c.name, all)
		}
	}
	for _, words := range [][]string{nil, {"help"}, {"help", "run"}, {"completion", "bash"}, {"__complete", ""}, {"--model", "x"}, {"vresion"}} {
		if all := len(newRoot(joining{}, words, nil).Commands()); all < len(commands) {
			t.Errorf("%q: %d commands are made, want all", words, all)
		}
	}
}

// TestUnknownCommands: the error of a command that does not exist has what does the same, or what to do.
func TestUnknownCommands(t *testing.T) {
	for line, want := range map[string]string{
		"help nosuch": "parley help lists them",
		"nosuch":      `to send it as a prompt: parley run "nosuch"`,
		"attach x":    `did you mean "parley tui --host URL"?`,
		"export":      `did you mean "parley sessions export ID"?`,
		"logout":      "keys of models are environment variables",
	} {
		words := strings.Fields(line)
		if _, err := execute(newRoot(joining{}, words, nil), words); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
