package hostprogram

import (
	"testing"

	"parley.dev/parley/internal/cli/program"
)

// TestCommands: the help of parley says of the commands of parley-host what that says.
func TestCommands(t *testing.T) {
	named := program.HostCommands()
	for _, command := range commands {
		cmd := command()
		if named[cmd.Name()] != cmd.Short || cmd.Short == "" {
			t.Errorf("%s: %q, and in parley %q", cmd.Name(), cmd.Short, named[cmd.Name()])
		}
		delete(named, cmd.Name())
	}
	if len(named) > 0 {
		t.Errorf("parley has %v, which parley-host does not have", named)
	}
}
