package worker

import "golang.org/x/sys/windows"

// freeSpace returns the bytes that this user can still write to the disk of a folder.
func freeSpace(folder string) (free uint64, err error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, err
	}
	return free, windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
}
