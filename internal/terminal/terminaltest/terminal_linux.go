package terminaltest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long output may take that is waited for.
const patience = 60 * time.Second

// A Terminal is a pseudoterminal; the test holds the side of the user.
type Terminal struct {
	File *os.File // the side of the program

	t    testing.TB
	user *os.File

	mu      sync.Mutex
	all     bytes.Buffer
	seen    int           // bytes of all that Until has returned
	copies  io.Writer     // gets what is written; nil: nothing does
	changed chan struct{} // closed when all has grown
}

// Open opens a terminal of that size. It is closed when the test ends.
func Open(t testing.TB, columns, rows uint16) *Terminal {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	term := &Terminal{t: t, user: user, changed: make(chan struct{})}
	t.Cleanup(func() { user.Close() })
	fd := int(user.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if term.File, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		term.read()
	}()
	t.Cleanup(func() {
		term.File.Close()
		<-read // all ends of the program's side are closed
		if t.Failed() {
			t.Logf("the terminal shows:\n%q", term.Shown())
		}
	})
	return term
}

// Start starts cmd with the terminal as its controlling one, and as standard input, output and
// error where cmd has none. It is killed when the test ends. The function returned waits for
// its end and returns the exit code, -1 for a signal.
func (term *Terminal) Start(cmd *exec.Cmd) (code func() int) {
	t := term.t
	t.Helper()
	if cmd.Stdin == nil {
		cmd.Stdin = term.File
	}
	if cmd.Stdout == nil {
		cmd.Stdout = term.File
	}
	if cmd.Stderr == nil {
		cmd.Stderr = term.File
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	cmd.ExtraFiles = []*os.File{term.File}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // how it ended is in ProcessState
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return func() int {
		t.Helper()
		select {
		case <-ended:
		case <-time.After(patience):
			t.Fatalf("the program does not end; the terminal shows\n%q", term.Shown())
		}
		return cmd.ProcessState.ExitCode()
	}
}

// read reads what the program writes until the last descriptor of its side is closed.
func (term *Terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := term.user.Read(buf)
		term.mu.Lock()
		term.all.Write(buf[:n])
		if term.copies != nil {
			_, _ = term.copies.Write(buf[:n]) // an emulator takes everything
		}
		close(term.changed)
		term.changed = make(chan struct{})
		term.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Resize changes the size.
func (term *Terminal) Resize(columns, rows uint16) {
	term.t.Helper()
	if err := unix.IoctlSetWinsize(int(term.user.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}); err != nil {
		term.t.Fatal(err)
	}
}

// Hang closes the user's side, as a window that is closed does.
func (term *Terminal) Hang() { term.user.Close() }

// Type presses keys; "\n" is Enter, "\x03" is Ctrl-C.
func (term *Terminal) Type(keys string) {
	term.t.Helper()
	if _, err := io.WriteString(term.user, keys); err != nil {
		term.t.Fatal(err)
	}
}

// Until waits until the output after the last match matches pattern, and returns it up to the
// end of the match.
func (term *Terminal) Until(pattern string) string {
	term.t.Helper()
	wanted := regexp.MustCompile(pattern)
	limit := time.After(patience)
	for {
		term.mu.Lock()
		text, changed := term.all.Bytes()[term.seen:], term.changed
		if at := wanted.FindIndex(text); at != nil {
			term.seen += at[1]
			found := string(text[:at[1]])
			term.mu.Unlock()
			return found
		}
		term.mu.Unlock()
		select {
		case <-changed:
		case <-limit:
			term.t.Fatalf("no %s appears; the terminal shows\n%q", pattern, term.Shown())
		}
	}
}

// Changed returns a channel that is closed with the next output.
func (term *Terminal) Changed() <-chan struct{} {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.changed
}

// Written waits until all that a program has written, which has ended, is there.
func (term *Terminal) Written() {
	term.t.Helper()
	// What is written to the side of the program comes after that.
	mark := fmt.Sprintf("\x1b]999;%d\x1b\\", time.Now().UnixNano())
	if _, err := term.File.WriteString(mark); err != nil {
		term.t.Fatal(err)
	}
	limit := time.After(patience)
	for {
		term.mu.Lock()
		there, changed := bytes.Contains(term.all.Bytes(), []byte(mark)), term.changed
		term.mu.Unlock()
		if there {
			return
		}
		select {
		case <-changed:
		case <-limit:
			term.t.Fatal("the terminal does not get what is written")
		}
	}
}

// Shown returns all output so far.
func (term *Terminal) Shown() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.all.String()
}
