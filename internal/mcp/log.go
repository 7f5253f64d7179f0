package mcp

import (
	"context"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley.dev/parley/internal/sandbox"
)

// maxLogLine bounds a line in the log, and maxLast what an error quotes of a program, in bytes.
const (
	maxLogLine = 4 << 10
	maxLast    = 500
)

// newOutputLog returns a writer that logs, for users, what a program writes to stderr or between its messages.
func newOutputLog(p *sharedServer) *sandbox.LineWriter {
	log, hide := p.pool.options.Log.With("server", p.label()), p.hide
	return sandbox.NewLineWriter(func(line string) string {
		line = strings.TrimSpace(hide.text(plain(line)))
		if line != "" {
			log.LogAttrs(context.Background(), slog.LevelDebug, "output of a tool server", slog.String("text", line))
		}
		return line
	})
}

// last returns the last line as the end of a sentence about the program; it may be "".
func last(w *sandbox.LineWriter) string {
	if line := w.Last(); line != "" {
		return ": " + brief(line, maxLast)
	}
	return ""
}

// plain returns text as one line without anything that could steer a terminal or deceive.
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

// brief returns text, or its beginning with … when that is more than limit bytes.
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
