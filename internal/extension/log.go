package extension

import (
	"context"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/sandbox"
)

// levels are those of the log, as extensions call them.
var levels = lazy.Value[map[string]slog.Level]{New: func() map[string]slog.Level {
	return map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}
}}

// maxLogLine bounds a line in the log, and maxLast what an error quotes of one, in bytes.
const (
	maxLogLine = 4 << 10
	maxLast    = 500
)

// newOutputLog returns what extensions print: a log for users.
func newOutputLog(log *slog.Logger) *sandbox.LineWriter {
	return sandbox.NewLineWriter(func(line string) string {
		line = brief(line, maxLogLine)
		if line != "" {
			log.LogAttrs(context.Background(), slog.LevelDebug, "output of extensions", slog.String("text", line))
		}
		return line
	})
}

// last returns the last line as the end of a sentence; it may be "".
func last(w *sandbox.LineWriter) string {
	if line := w.Last(); line != "" {
		return ": " + brief(line, maxLast)
	}
	return ""
}

// brief returns text as one line of at most limit bytes, without anything that could steer a terminal.
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
