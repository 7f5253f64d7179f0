package tui

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// lines are the output of a console in plain mode.
type lines struct {
	t       *testing.T
	process *stage.Process

	mu   sync.Mutex
	text strings.Builder
	come chan string // each line
	read chan struct{}
}

func newLines(t *testing.T, process *stage.Process) *lines {
	l := &lines{t: t, process: process, come: make(chan string, 10_000), read: make(chan struct{})}
	go func() {
		defer close(l.read)
		defer close(l.come)
		in := bufio.NewReader(process.Stdout)
		for {
			line, err := in.ReadString('\n')
			l.mu.Lock()
			l.text.WriteString(line)
			l.mu.Unlock()
			if err != nil {
				return
			}
			l.come <- line
		}
	}()
	return l
}

// write writes to the input.
func (l *lines) write(text string) {
	l.t.Helper()
	if _, err := io.WriteString(l.process.Stdin, text); err != nil {
		l.t.Fatal(err)
	}
}

// want waits for a line with that beginning, after the last one.
func (l *lines) want(beginning string) {
	l.t.Helper()
	for {
		line := stage.Await(l.t, l.come, "a line that begins with "+beginning)
		if line == "" {
			l.t.Fatalf("no line begins with %s:\n%s", beginning, l.all())
		}
		if strings.HasPrefix(line, beginning) {
			return
		}
	}
}

// all returns the whole output of a console that has ended, or what there is.
func (l *lines) all() string {
	select {
	case <-l.process.Ended:
		<-l.read
	default:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
