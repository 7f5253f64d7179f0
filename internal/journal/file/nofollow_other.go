//go:build !unix

package file

// noFollow is 0: this system has no such flag.
const noFollow = 0
