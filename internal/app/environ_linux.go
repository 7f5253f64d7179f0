package app

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// hideEnviron takes out of what Linux shows of this process's environment (/proc/PID/environ)
// every value but those that children get: else a command that nothing confines could read
// the keys there that were kept out of its own. The program's own copy stays as it is.
func hideEnviron(children []string) error {
	secret := func(entry string) bool { return strings.Contains(entry, "=") && !slices.Contains(children, entry) }
	if !slices.ContainsFunc(os.Environ(), secret) {
		return nil
	}
	shown, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return err
	}
	start, err := environStart()
	if err != nil {
		return err
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	at := 0
	for entry := range bytes.SplitSeq(shown, []byte{0}) {
		if name, value, ok := bytes.Cut(entry, []byte("=")); ok && secret(string(entry)) {
			if _, err := memory.WriteAt(bytes.Repeat([]byte("x"), len(value)), start+int64(at+len(name)+1)); err != nil {
				return err
			}
		}
		at += len(entry) + 1
	}
	return nil
}

// environStart returns where the environment began in memory when the process did (env_start of
// proc_pid_stat(5)).
func environStart() (int64, error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, err
	}
	const behindName = 50 - 3 // the fields before it, but for the number and the name
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= behindName {
		return 0, fmt.Errorf("/proc/self/stat has %d fields", len(fields))
	}
	return strconv.ParseInt(fields[behindName], 10, 64)
}
