//go:build !linux

package main

// forgetStart does nothing here.
func forgetStart() {}
