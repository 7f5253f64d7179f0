package mcpcmd

import (
	"os/exec"
	"runtime"
	"strings"

	"parley.dev/parley/internal/program"
)

// openBrowser opens an address in the user's browser, if there is one on this machine. It is not waited
// for, and nothing depends on it: the address was printed. environ is its environment.
func openBrowser(address string, getenv func(string) string, environ []string) {
	command := browserCommand(runtime.GOOS, getenv)
	if len(command) == 0 || !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return
	}
	path, err := program.Find(command[0])
	if err != nil {
		return
	}
	cmd := exec.Command(path, append(command[1:], address)...)
	cmd.Env = environ
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}

// browserCommand returns the command that opens an address, and nothing if the user sits at another machine.
func browserCommand(system string, getenv func(string) string) []string {
	for _, remote := range []string{"SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "CI"} {
		if getenv(remote) != "" {
			return nil
		}
	}
	switch {
	case system == "darwin":
		return []string{"open"}
	case system == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open"}
	}
	return nil
}
