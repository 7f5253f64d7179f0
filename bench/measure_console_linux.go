package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
)

// A screen is a terminal of 120 columns and 40 rows with a console in it.
type screen struct {
	cmd   *exec.Cmd
	user  *os.File // the side of the user
	ended chan struct{}
	begun time.Duration // when the console was started

	mu   sync.Mutex
	said []byte        // that was not waited for yet
	more chan struct{} // has a value when said has grown
}

// console starts the terminal console in a new terminal.
func console(cmd *exec.Cmd) (*screen, error) {
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	program, err := programSide(int(user.Fd()))
	if err != nil {
		return nil, errors.Join(err, user.Close())
	}
	defer program.Close()
	s := &screen{cmd: cmd, user: user, ended: make(chan struct{}), more: make(chan struct{}, 1), begun: mock.Now()}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, user.Close())
	}
	go func() {
		defer close(s.ended)
		_ = cmd.Wait() // how it ended is in ProcessState
	}()
	go s.read()
	return s, nil
}

// programSide returns the side of the program of a terminal.
func programSide(fd int) (*os.File, error) {
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: 120, Row: 40}); err != nil {
		return nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	return os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
}

// read takes what the console writes, until it has ended.
func (s *screen) read() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.user.Read(buffer)
		s.mu.Lock()
		s.said = append(s.said, buffer[:n]...)
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// until waits until a text was written, and returns when that was seen. What came before it is dropped.
func (s *screen) until(text string) (time.Duration, error) {
	limit := time.After(patience)
	for {
		s.mu.Lock()
		at := bytes.Index(s.said, []byte(text))
		if at >= 0 {
			s.said = s.said[at+len(text):]
		}
		shown := s.said
		s.mu.Unlock()
		if at >= 0 {
			return mock.Now(), nil
		}
		select {
		case <-s.more:
		case <-s.ended:
			return 0, fmt.Errorf("the console has ended before %q: %.2000q", text, shown)
		case <-limit:
			return 0, fmt.Errorf("the console does not show %q: %.2000q", text, shown[max(0, len(shown)-2000):])
		}
	}
}

// press presses keys.
func (s *screen) press(keys string) error {
	_, err := s.user.WriteString(keys)
	return err
}

func (s *screen) close() {
	_ = s.cmd.Process.Kill() // it may be gone
	<-s.ended
	s.user.Close()
}

// The keys that are measured: no answer has these characters.
const (
	firstKey = '\u2460' // ①
	lastKey  = '\u24ff'
)

// consoles measures the terminal console on a host: how long it takes to show the end of a long session, and how it holds up
// while an answer streams.
func (b *bench) consoles(s subject) error {
	p, id, err := b.seeded.ofMany(b.dir, b.size.missed)
	if err != nil {
		return err
	}
	defer b.seeded.usedUp(b.size.missed) // the next round needs one that ends as it was made
	return b.serving(p, s, func(a *agent) error {
		return p.clients(1, func(first []*hostClient) error {
			if err := first[0].follow(id, ""); err != nil { // the session is open all the time
				return err
			}
			cmd, err := p.command(s, b.wire, b.model.URL)
			if err != nil {
				return err
			}
			cmd.Args = []string{s.path, "tui", "--host", "unix:" + p.socket(), "--resume", id, "--workspace", p.work}
			c, err := console(cmd)
			if err != nil {
				return err
			}
			defer c.close()
			then, err := c.until(seedAnswer)
			if err != nil {
				return err
			}
			b.add(a, "tui-open", (then - c.begun).Seconds())
			return b.streamed(a, c)
		})
	})
}

// streamed measures keys and the use of the machine while an answer streams, one delta a millisecond.
func (b *bench) streamed(a *agent, c *screen) error {
	b.model.Play(mock.Scenario{Deltas: b.size.typed, Every: time.Millisecond}).Prepare()
	if err := c.press("go on\r"); err != nil {
		return err
	}
	if _, err := c.until("thinking"); err != nil {
		return err
	}
	pid := c.cmd.Process.Pid
	before, cpuErr := cpu(pid)
	begin := mock.Now()
	var keys report.Sample
	for key, n := firstKey, 0; n < b.size.typed/50; n++ {
		pressed := mock.Now()
		if err := c.press(string(key)); err != nil {
			return err
		}
		shown, err := c.until(string(key))
		if err != nil {
			return err
		}
		keys = append(keys, (shown - pressed).Seconds())
		if key++; key > lastKey {
			key = firstKey
		}
		<-time.After(time.Duration(n+1)*40*time.Millisecond - (mock.Now() - begin))
	}
	if after, err := cpu(pid); err == nil && cpuErr == nil {
		b.add(a, "tui-cpu", (after-before).Seconds()/(mock.Now()-begin).Seconds())
	}
	b.add(a, "tui-key-p50", keys.At(0.5))
	b.add(a, "tui-key-p99", keys.At(0.99))
	if memory, err := pss(pid); err == nil {
		b.add(a, "tui-memory", float64(memory))
	}
	return nil
}
