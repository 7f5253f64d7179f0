//go:build !unix

package stream

// hasModes reports whether the modes of files show which users can read them.
const hasModes = false
