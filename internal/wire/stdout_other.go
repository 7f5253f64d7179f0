//go:build !unix

package wire

import "os"

// ProtectStdout keeps stdout for the protocol and returns it. Here only Go code is kept
// away from it: os.Stdout becomes stderr, while the handle itself stays what it was.
func ProtectStdout() (*os.File, error) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out, nil
}
