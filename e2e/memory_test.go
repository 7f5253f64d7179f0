package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memory is a size from the process's status, such as VmHWM, the peak of resident memory;
// in bytes.
func (s *server) memory(name string) int64 {
	s.t.Helper()
	return s.proc("status", name)
}

// proc is a size from a file of the process, in bytes.
func (s *server) proc(file, name string) int64 {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, file))
	if err != nil {
		s.t.Skipf("no figures of processes here: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, name+":")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		if err != nil {
			s.t.Fatal(err)
		}
		return kib << 10
	}
	s.t.Fatalf("%s has no %s", file, name)
	return 0
}
