//go:build unix && !linux

package watchdog

import "os"

// ownProgram returns the path of this program. If its file was replaced by one that is not a watchdog, the process does not
// answer, and commands are refused.
func ownProgram() (string, error) { return os.Executable() }
