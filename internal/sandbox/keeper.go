//go:build unix

package sandbox

import (
	_ "embed" // for keeperScript
	"fmt"
	"os"
	"sync"
	"syscall"
)

//go:embed keeper.sh
var keeperScript string

// A keeper outlives this process to end its commands, should it be killed: a shell in a
// session of its own, which is told of every process group and notices our end by its
// stdin. A death signal reaches only the direct child, and only on Linux.
type keeper struct {
	mark string // in the environment of every process of the Spawner

	mu     sync.Mutex
	shell  *os.Process // nil until open
	pipe   *os.File    // to the shell's stdin
	groups map[int]bool
}

// open starts the shell, unless it runs.
func (k *keeper) open() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.shell != nil {
		return nil
	}
	return k.restart()
}

// watch tells of a new group.
func (k *keeper) watch(group int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.groups[group] = true
	k.tell("+", group)
}

// forget tells that a group is over. Its number must not be free to use yet.
func (k *keeper) forget(group int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.groups, group)
	k.tell("-", group)
}

// tell writes one line. A shell that somebody has killed is replaced: the commands can
// do that, whether they mean to or not. If that fails too, the next one tries again.
func (k *keeper) tell(what string, group int) {
	if _, err := fmt.Fprintf(k.pipe, "%s %d\n", what, group); err == nil {
		return
	}
	k.bury()
	_ = k.restart()
}

// restart starts a shell that knows the groups there are.
func (k *keeper) restart() error {
	stdin, pipe, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	shell, err := startKeeper(stdin, k.mark)
	if err != nil {
		pipe.Close()
		return fmt.Errorf("start the keeper: %w", err)
	}
	k.shell, k.pipe = shell, pipe
	for group := range k.groups {
		if _, err := fmt.Fprintf(pipe, "+ %d\n", group); err != nil {
			return fmt.Errorf("tell the keeper: %w", err)
		}
	}
	return nil
}

func startKeeper(stdin *os.File, mark string) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return os.StartProcess("/bin/sh", []string{"sh", "-c", keeperScript, "parley-keeper", mark}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"PATH=" + os.Getenv("PATH")},
		Files: []*os.File{stdin, null, null},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
}

// bury makes sure that a broken shell is gone, without giving it time to kill anything.
func (k *keeper) bury() {
	if k.shell == nil {
		return
	}
	_ = k.shell.Kill()
	k.pipe.Close()
	_, _ = k.shell.Wait()
	k.shell, k.pipe = nil, nil
}

// close ends the shell; no group may be left.
func (k *keeper) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.shell == nil {
		return
	}
	_, _ = k.pipe.WriteString(".\n")
	k.pipe.Close()
	_, _ = k.shell.Wait()
	k.shell, k.pipe = nil, nil
}
