package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Words is what a program says on stderr, or between its messages: a log for people. Its
// Write never waits.
type words struct {
	log  *slog.Logger
	hide hider

	mu    sync.Mutex
	line  []byte // not yet ended
	final string // the last line that was not empty
}

// maxLogLine bounds a line in the log, in bytes; the rest of it is dropped.
const maxLogLine = 4 << 10

// maxLast bounds what an error quotes of a program, in bytes.
const maxLast = 500

func newWords(p *peer) *words {
	return &words{log: p.pool.options.Log.With("server", p.label()), hide: p.hide}
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
	line := strings.TrimSpace(w.hide.text(plain(string(w.line))))
	w.line = w.line[:0]
	if line == "" {
		return
	}
	w.final = line
	w.log.LogAttrs(context.Background(), slog.LevelDebug, "output of a tool server", slog.String("text", line))
}

// last is the last line as the end of a sentence about the program; it may be "".
func (w *words) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.final == "" {
		return ""
	}
	return ": " + brief(w.final, maxLast)
}

// plain is text as one line without anything that could steer a terminal or deceive.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case !unicode.IsGraphic(r):
			return utf8.RuneError
		}
		return r
	}, text)
}

// brief is text, or its beginning with … when that is more than limit bytes.
func brief(text string, limit int) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if len(text) <= limit {
		return text
	}
	cut := limit - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
