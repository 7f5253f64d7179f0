//go:build !unix

package config

// GuardState: a folder's mode says nothing here about who may use it.
func GuardState(string) error { return nil }

// guardTempHome likewise.
func guardTempHome(string) error { return nil }

// guardConfig likewise.
func guardConfig(string) error { return nil }
