package security

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/transcript"
)

// A dialogue is a running program; the test is its controller.
type dialogue struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string // of stdout, closed at its end
	stderr bytes.Buffer
}

// talk starts the program. It is killed when the test ends.
func (p *place) talk(args ...string) *dialogue {
	p.t.Helper()
	d := &dialogue{t: p.t, lines: make(chan string, 1024)}
	d.cmd = exec.Command(transcript.Build(p.t), args...)
	d.cmd.Dir = p.work
	d.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + p.state(), "LANG=C.UTF-8"}, p.env...)
	d.cmd.Stderr = &d.stderr
	var err error
	if d.stdin, err = d.cmd.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(d.lines)
		lines := bufio.NewScanner(stdout)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			d.lines <- lines.Text()
		}
	}()
	p.t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		for range d.lines { // so that the reader ends
		}
		<-read
		_ = d.cmd.Wait()
		if p.t.Failed() {
			p.t.Logf("standard error:\n%s", d.stderr.String())
		}
	})
	return d
}

func (d *dialogue) send(line string) {
	d.t.Helper()
	if _, err := io.WriteString(d.stdin, line+"\n"); err != nil {
		d.t.Fatal(err)
	}
}

// until reads up to the first line that matches, which must come.
func (d *dialogue) until(pattern string) string {
	d.t.Helper()
	limit := time.After(patience)
	wanted := regexp.MustCompile(pattern)
	var all strings.Builder
	for {
		select {
		case line, open := <-d.lines:
			if !open {
				d.t.Fatalf("the output ended before %s; there was\n%s", pattern, all.String())
			}
			if wanted.MatchString(line) {
				return line
			}
			all.WriteString(line + "\n")
		case <-limit:
			d.t.Fatalf("waited in vain for %s; there was\n%s", pattern, all.String())
		}
	}
}
