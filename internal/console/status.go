package console

import (
	"context"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"parley.dev/parley/internal/terminal"
)

// Signs of life: on a terminal a line that moves, after a short time; elsewhere a line now and then.
const (
	statusFrame = 100 * time.Millisecond
	statusFirst = 300 * time.Millisecond
	reportFirst = 10 * time.Second
	reportEach  = time.Minute
)

var statusFrames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// A status is the status line.
type status struct {
	text     string // clean, one line; "": nothing
	since    time.Time
	quiet    time.Time // the last output, or since
	reported time.Time // the last line where there is no terminal
	drawn    bool      // it is on the screen
	frame    int
}

// Status sets the text of the status; "" removes it. The same text again changes nothing.
func (s *Screen) Status(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = terminal.Line(text)
	if text == s.status.text {
		return
	}
	s.hideStatus()
	now := time.Now()
	s.status = status{text: text, since: now, quiet: now, reported: s.status.reported, frame: s.status.frame}
}

// Run shows the status until ctx ends.
func (s *Screen) Run(ctx context.Context) {
	each := statusFrame
	if s.errFile == nil {
		each = time.Second
	}
	ticker := time.NewTicker(each)
	defer ticker.Stop()
	defer s.Status("")
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			s.tick(now)
		}
	}
}

func (s *Screen) tick(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status.text == "" {
		return
	}
	waited := fmt.Sprintf("%s · %s", s.status.text, now.Sub(s.status.since).Truncate(time.Second))
	if s.errFile == nil {
		if s.status.due(now) {
			s.status.reported = now
			fmt.Fprintf(s.err, "[waiting] %s\n", waited)
		}
		return
	}
	if now.Sub(s.status.quiet) < statusFirst || s.midLine && s.shared {
		return
	}
	columns, _ := s.size()
	s.status.frame++
	line := statusFrames[s.status.frame%len(statusFrames)] + " " + waited
	for utf8.RuneCountInString(line) >= columns {
		_, size := utf8.DecodeLastRuneInString(line)
		line = line[:len(line)-size]
	}
	s.status.drawn = true
	_, _ = io.WriteString(s.err, "\r\x1b[K"+s.paint(dim, line))
}

// due reports whether a status line is due.
func (st *status) due(now time.Time) bool {
	return now.Sub(st.quiet) >= reportFirst && (st.reported.Before(st.quiet) || now.Sub(st.reported) >= reportEach)
}

// wrote records the time of output.
func (st *status) wrote(now time.Time) { st.quiet = now }

// hideStatus removes the status from the screen.
func (s *Screen) hideStatus() {
	if s.status.drawn {
		s.status.drawn = false
		_, _ = io.WriteString(s.err, "\r\x1b[K")
	}
}
