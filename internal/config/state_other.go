//go:build !unix

package config

// GuardState: a folder's mode does not limit the access to it on this system.
func GuardState(string) error { return nil }

// guardTempHome likewise.
func guardTempHome(string) error { return nil }

// guardConfig likewise.
func guardConfig(string) error { return nil }
