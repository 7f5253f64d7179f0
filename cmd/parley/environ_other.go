//go:build !linux

package main

// hideEnviron: other systems show no process's environment in files.
func hideEnviron([]string) error { return nil }
