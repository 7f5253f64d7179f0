//go:build unix

package sandbox

import (
	"cmp"
	_ "embed" // for keeperScript
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

//go:embed reaper.sh
var reaperScript string

// A reaper kills the commands of this process when it is itself killed, and removes its temporary
// folders and the placeholders of its commands. It is a shell in a session
// of its own that knows every process group, and detects the end of this process by the end of its
// standard input.
//
// Other means were not sufficient. A parent-death signal reaches only the direct child, and exists
// only on Linux. A child subreaper collects orphans only while this process runs, and exists only on
// Linux. A control group needs the right to create one, which containers and CI jobs seldom have. A
// PID namespace needs user namespaces, which are often forbidden, and hides the user's other
// processes from the command. See "A shell ends orphans" in docs/design.md.
type reaper struct {
	mark string // in the environment of every process of the Spawner
	temp string // a further folder of temporary folders; "": there is none

	mu     sync.Mutex
	shell  *os.Process // nil until open
	pipe   *os.File    // to the shell's stdin
	groups map[int]bool
	paths  map[string]int // placeholders, and how many commands need each
}

// open starts the shell unless it runs already.
func (r *reaper) open() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shell != nil {
		return nil
	}
	return r.restart()
}

// add registers a process group.
func (r *reaper) add(group int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.groups[group] = true
	r.send("+ " + strconv.Itoa(group))
}

// remove unregisters a group that has ended. Its number must not be free for reuse yet.
func (r *reaper) remove(group int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.groups, group)
	r.send("- " + strconv.Itoa(group))
}

// keepPlaceholders registers the placeholders of a launch until its cleanup has removed them.
func (r *reaper) keepPlaceholders(l *launch) {
	paths := slices.DeleteFunc(slices.Clone(l.placeholders), func(path string) bool {
		return strings.TrimSpace(path) != path || strings.Contains(path, "\n") // the shell would read another path
	})
	if len(paths) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, path := range paths {
		if r.paths[path]++; r.paths[path] == 1 {
			r.send("p " + path)
		}
	}
	cleanup := l.cleanup
	l.cleanup = func() {
		cleanup()
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, path := range paths {
			if r.paths[path]--; r.paths[path] == 0 {
				delete(r.paths, path)
				r.send("r " + path)
			}
		}
	}
}

// send writes one line to the shell. A shell that was killed, which every command can do, is
// replaced. If that fails too, the next call tries again.
func (r *reaper) send(line string) {
	if _, err := fmt.Fprintln(r.pipe, line); err == nil {
		return
	}
	r.stop()
	_ = r.restart()
}

// restart starts a shell and registers all current groups with it.
func (r *reaper) restart() error {
	stdin, pipe, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	shell, err := startReaper(stdin, r.mark, r.temp)
	if err != nil {
		pipe.Close()
		return fmt.Errorf("start the reaper: %w", err)
	}
	r.shell, r.pipe = shell, pipe
	var lines strings.Builder
	for group := range r.groups {
		fmt.Fprintf(&lines, "+ %d\n", group)
	}
	for path := range r.paths {
		fmt.Fprintf(&lines, "p %s\n", path)
	}
	if _, err := io.WriteString(pipe, lines.String()); err != nil {
		return fmt.Errorf("write to the reaper: %w", err)
	}
	return nil
}

// systemPath is the PATH of the reaper: a command must not choose what runs after this process was killed.
const systemPath = "/usr/bin:/bin:/run/current-system/sw/bin"

func startReaper(stdin *os.File, mark, own string) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	temp, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, err
	}
	return os.StartProcess("/bin/sh", []string{"sh", "-c", reaperScript, "parley-reaper", mark, temp, cmp.Or(own, temp)}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"PATH=" + systemPath},
		Files: []*os.File{stdin, null, null},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
}

// stop kills a broken shell, so that it cannot kill any group, and reaps it.
func (r *reaper) stop() {
	if r.shell == nil {
		return
	}
	_ = r.shell.Kill()
	r.pipe.Close()
	_, _ = r.shell.Wait()
	r.shell, r.pipe = nil, nil
}

// close ends the shell; every group must have ended.
func (r *reaper) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shell == nil {
		return
	}
	_, _ = r.pipe.WriteString(".\n")
	r.pipe.Close()
	_, _ = r.shell.Wait()
	r.shell, r.pipe = nil, nil
}
