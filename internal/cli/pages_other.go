//go:build !linux

package cli

// ForgetStart does nothing here.
func ForgetStart() {}
