package companion

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// callerVariable has the version of the program that executes another one in its place.
const callerVariable = "PARLEY_CALLER_VERSION"

// Replace executes a program in the place of this one, with its arguments, environment and open files. It returns only with an error.
func Replace(path string, args []string) error {
	err := syscall.Exec(path, args, append(os.Environ(), callerVariable+"="+Version))
	return fmt.Errorf("start %s: %w", path, err)
}

// Caller returns the version of the program in whose place this one is executed; "": there is none. What this process starts does not
// inherit it.
func Caller() string {
	version := os.Getenv(callerVariable)
	_ = os.Unsetenv(callerVariable) // the name is valid
	return strings.TrimSpace(version)
}
