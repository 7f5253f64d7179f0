//go:build linux

package soak

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A reading is what a host and all that belongs to it have at a moment.
type reading struct {
	at         time.Duration // since the clients began
	turns      int           // that have ended
	host       int64         // PSS of the host
	hostRSS    int64
	tree       int64 // PSS of the host, its agents and commands, and the relays of its clients
	goroutines int   // of the host
	files      int   // that the host has open, without journals and their locks
	journals   int   // that the host has open
	spools     int   // of those, the queues of slow clients
	clients    int
	processes  int // in the tree
	zombies    int
	temporary  int   // files and folders in TMPDIR and in the folder of the process, without what is in the folders: a session that ran commands has some
	state      int64 // bytes of the state folder, with those of sessions that were removed
}

// read takes a reading.
func (c *crowd) read() (r reading) {
	c.Helper()
	r.at, r.turns = time.Since(c.begin), int(c.turns.Load())
	remnant := c.host.remnant()
	pid := c.host.process.Cmd.Process.Pid
	r.clients, r.goroutines = remnant.clients, remnant.goroutines
	r.journals = openFiles(pid, "/journal.jsonl")
	r.files = remnant.files - r.journals - openFiles(pid, "/lock")
	r.spools = openFiles(pid, "parley-spool-")
	r.host, r.hostRSS = memoryOf(pid)
	for _, pid := range c.mark.Processes() {
		pss, _ := memoryOf(pid)
		r.tree += pss
		r.processes++
		if state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); bytes.Contains(state, []byte(") Z ")) {
			r.zombies++
		}
	}
	r.state = sizeOf(c.host.place.State()) + c.removed.Load()
	temporary, _ := os.ReadDir(c.host.place.Temp)
	own, _ := filepath.Glob(filepath.Join(c.host.place.State(), "tmp", "*", "*-*"))
	r.temporary = len(temporary) + len(own)
	return r
}

// memoryOf returns the PSS and the RSS of a process; 0: it has ended.
func memoryOf(pid int) (pss, rss int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		kib, err := strconv.ParseInt(fields[1], 10, 64)
		switch {
		case err != nil:
		case fields[0] == "Pss:":
			pss = kib << 10
		case fields[0] == "Rss:":
			rss = kib << 10
		}
	}
	return pss, rss
}

// openFiles counts the open files of a process with a text in their names.
func openFiles(pid int, text string) (n int) {
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if name, _ := os.Readlink(filepath.Join(folder, entry.Name())); strings.Contains(name, text) {
			n++
		}
	}
	return n
}

// sizeOf returns the bytes of the files in a folder; they come and go meanwhile.
func sizeOf(folder string) (size int64) {
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // it is gone
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}
