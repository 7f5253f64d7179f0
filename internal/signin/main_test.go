package signin

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// writerFolder makes the test binary a process that only stores secrets, see TestTwoProcesses.
const writerFolder = "SIGNIN_TEST_WRITER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(writerFolder); folder != "" {
		os.Exit(write(folder, os.Args[1]))
	}
	goleak.VerifyTestMain(m)
}

func write(folder, who string) int {
	s := NewStore(StoreOptions{Folder: folder, File: true})
	for i := range writes {
		if err := s.Set(fmt.Sprintf("%s.%d", who, i), who); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	return 0
}
