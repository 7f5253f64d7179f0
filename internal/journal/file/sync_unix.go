//go:build unix

package file

import "os"

// syncFile calls fsync, for which a file that is open for reading is sufficient.
func syncFile(f *os.File) error { return f.Sync() }
