//go:build !unix

package file

// noFollow: a file's name is not opened in that way here.
const noFollow = 0
