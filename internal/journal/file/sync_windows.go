package file

import (
	"errors"
	"os"
)

// syncFile calls FlushFileBuffers, for which a file must be open for writing.
func syncFile(f *os.File) error {
	again, err := os.OpenFile(f.Name(), os.O_RDWR|noFollow, 0)
	if err != nil {
		return err
	}
	return errors.Join(again.Sync(), again.Close())
}
