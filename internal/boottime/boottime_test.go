package boottime

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

const childVariable = "BOOTTIME_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		fmt.Print(int64(Now()))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Processes exchange times, so another process reads a time between two that this one reads before and after.
func TestSameForAllProcesses(t *testing.T) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1", "GORACE=atexit_sleep_ms=0")
	before := Now()
	out, err := child.Output()
	after := Now()
	if err != nil {
		t.Fatal(err)
	}
	text, err := strconv.ParseInt(string(out), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if there := time.Duration(text); there <= before || there >= after {
		t.Errorf("another process reads %v between %v and %v", there, before, after)
	}
}
