package extension

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// levels are those of the log, as extensions call them.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

// maxLogLine bounds a line in the log, and maxLast what an error quotes of one, in bytes.
const (
	maxLogLine = 4 << 10
	maxLast    = 500
)

// Words is what extensions print: a log for people. Its Write never waits.
type words struct {
	log *slog.Logger

	mu    sync.Mutex
	line  []byte // not yet ended
	final string // the last line that was not empty
}

// Write takes any part of any number of lines.
func (w *words) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(text)
	for len(text) > 0 {
		part, rest, ended := bytes.Cut(text, []byte{'\n'})
		w.line = append(w.line, part[:min(len(part), maxLogLine-len(w.line))]...)
		if ended {
			w.say()
		}
		text = rest
	}
	return n, nil
}

// end says what is left of a last line.
func (w *words) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.say()
}

func (w *words) say() {
	line := brief(string(w.line), maxLogLine)
	w.line = w.line[:0]
	if line == "" {
		return
	}
	w.final = line
	w.log.LogAttrs(context.Background(), slog.LevelDebug, "output of extensions", slog.String("text", line))
}

// last is the last line as the end of a sentence; it may be "".
func (w *words) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.final == "" {
		return ""
	}
	return ": " + brief(w.final, maxLast)
}

// brief is text as one line of at most limit bytes, without anything that could steer a terminal.
func brief(text string, limit int) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, text))
	if len(text) <= limit {
		return text
	}
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + " …"
}
