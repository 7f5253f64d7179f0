package conform

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// processes returns the processes that have the mark in their environment, or work below root.
func processes(mark, root string) (found []process) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		dir, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		if !bytes.Contains(environ, []byte(mark+"\x00")) && dir != root && !strings.HasPrefix(dir, root+"/") {
			continue
		}
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if len(line) == 0 {
			continue // it has ended, and was not waited for
		}
		found = append(found, process{pid, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))})
	}
	return found
}
