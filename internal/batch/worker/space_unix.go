//go:build unix

package worker

import "golang.org/x/sys/unix"

// freeSpace returns the bytes that this user can still write to the disk of a folder.
func freeSpace(folder string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
