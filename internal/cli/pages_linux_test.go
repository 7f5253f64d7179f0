package cli

import (
	"bytes"
	"os"
	"strconv"
	"testing"
)

// TestForgetPages: the process is smaller afterwards, and goes on.
func TestForgetPages(t *testing.T) {
	before := resident(t)
	forgetPages()
	if after := resident(t); after >= before {
		t.Errorf("%d KiB of the program's file were resident, and then %d", before, after)
	}
	if extentOf, size := extent([]byte("00400000-00401000")); extentOf != 0x400000 || size != 0x1000 {
		t.Errorf("extent %x, %x", extentOf, size)
	}
	for _, bad := range []string{"", "-", "2-1", "x-y"} {
		if _, size := extent([]byte(bad)); size != 0 {
			t.Errorf("%q has the size %d", bad, size)
		}
	}
}

// resident returns how much memory backed by files the process has, in KiB.
func resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("RssFile:"))
	kib, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return kib
}
