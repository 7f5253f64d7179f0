//go:build unix

package watchdog

import (
	"bytes"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/boottime"
)

// variable is the environment variable that makes this program a watchdog. Setting it by hand is harmless: a watchdog only does
// what its standard input requests, and has the rights of the user.
const variable = "PARLEY_WATCHDOG"

// The lines that a watchdog reads. A mark is in the environment of every process of a command, and contains no space.
const (
	lineStart = "start" // MARK: the command is about to be started
	lineGroup = "group" // MARK GROUP: it runs in this process group
	lineEnd   = "end"   // MARK: it has ended
	lineUntil = "until" // NANOSECONDS: commands may run until then, by the clock of boottime. It is answered with one byte
)

// slice is the longest wait before the clock is read again: the system's timers stop while the machine is suspended.
const slice = 500 * time.Millisecond

// answers is the file that answers are written to; tests set another one.
var answers = 1

func init() {
	if os.Getenv(variable) == "" {
		return
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE)
	p := process{commands: map[string]*command{}}
	p.run()
	os.Exit(0)
}

// A process is the state of a watchdog's own process.
type process struct {
	input    []byte // what was read after the last whole line
	commands map[string]*command
	until    time.Duration // 0: there is no limit yet
}

// A command is a command that runs, or that is about to be started.
type command struct {
	group  int // 0: not known yet
	killed bool
}

// run kills commands when their time is over, until the input ends: then the parent has ended, or needs no watchdog.
func (p *process) run() {
	buffer := make([]byte, 16<<10)
	for {
		// All input is read before anything is killed: a command that has ended must not be killed, its number may be another's.
		ready, err := unix.Poll([]unix.PollFd{{Fd: 0, Events: unix.POLLIN}}, p.wait(boottime.Now()))
		if err != nil && err != unix.EINTR {
			return
		}
		if ready > 0 {
			n, err := syscall.Read(0, buffer)
			if err == syscall.EINTR || err == syscall.EAGAIN {
				continue
			}
			if n <= 0 {
				return
			}
			p.read(buffer[:n])
			continue
		}
		if p.due(boottime.Now()) {
			p.kill()
		}
	}
}

// wait returns how long to wait for input, in milliseconds; -1: until it comes.
func (p *process) wait(now time.Duration) int {
	if !p.pending() {
		return -1
	}
	left := min(slice, p.until-now)
	return int(max(0, (left+time.Millisecond-1)/time.Millisecond))
}

// due reports whether commands must be killed now.
func (p *process) due(now time.Duration) bool { return p.pending() && now >= p.until }

// pending reports whether a command may have to be killed.
func (p *process) pending() bool {
	if p.until == 0 {
		return false
	}
	for _, c := range p.commands {
		if !c.killed {
			return true
		}
	}
	return false
}

// read processes input.
func (p *process) read(data []byte) {
	p.input = append(p.input, data...)
	for {
		line, rest, whole := bytes.Cut(p.input, []byte("\n"))
		if !whole {
			return
		}
		p.readLine(strings.Fields(string(line)))
		p.input = rest
	}
}

func (p *process) readLine(words []string) {
	if len(words) < 2 {
		return
	}
	mark := words[1]
	switch words[0] {
	case lineStart:
		p.commands[mark] = &command{}
	case lineGroup:
		if group, err := strconv.Atoi(words[len(words)-1]); err == nil && group > 1 { // 0 and 1 name other processes than a group
			p.commands[mark] = &command{group: group}
		}
	case lineEnd:
		delete(p.commands, mark)
	case lineUntil:
		if until, err := strconv.ParseInt(mark, 10, 64); err == nil {
			p.until = time.Duration(until)
			_, _ = syscall.Write(answers, []byte{'.'}) // if the parent has ended, so does the input
		}
	}
}

// kill kills every command: its group, and what has left the group.
func (p *process) kill() {
	var marks []string
	for mark, c := range p.commands {
		if c.killed {
			continue
		}
		if c.group > 1 {
			_ = unix.Kill(-c.group, unix.SIGKILL)
		}
		c.killed = true
		marks = append(marks, mark)
	}
	killMarked(marks)
}
