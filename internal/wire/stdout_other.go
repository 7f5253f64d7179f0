//go:build !unix

package wire

import "os"

// ProtectStdout reserves stdout for the protocol and returns it. On this system that concerns only
// Go code: os.Stdout becomes stderr, while the handle itself is unchanged.
func ProtectStdout() (*os.File, error) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out, nil
}
