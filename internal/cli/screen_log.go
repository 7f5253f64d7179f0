package cli

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"parley.dev/parley/internal/console"
)

// LogServerFailed is the message of the log about a tool server that failed.
const LogServerFailed = "tool server failed"

// screenLog is a log whose warnings and errors are lines of a screen, for the user. Less important records are lines of the text
// that is usual for logs.
type screenLog struct {
	slog.Handler
	screen *console.Screen
	attrs  []slog.Attr
	shown  []string // messages of what the screen shows without the log
}

// NewScreenLog returns a log for a screen, of records from a level on. Warnings with one of the shown messages are left out.
func NewScreenLog(screen *console.Screen, level slog.Leveler, shown ...string) *slog.Logger {
	return slog.New(screenLog{Handler: slog.NewTextHandler(screen.Log(), &slog.HandlerOptions{Level: level}), screen: screen, shown: shown})
}

// Handle writes a record.
func (l screenLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return l.Handler.Handle(ctx, r)
	}
	if slices.Contains(l.shown, r.Message) {
		return nil
	}
	line := r.Message
	add := func(a slog.Attr) bool {
		if a.Key == "error" {
			line += ": " + a.Value.String()
		} else {
			line += fmt.Sprintf(" (%s %s)", a.Key, a.Value)
		}
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	if r.Level < slog.LevelError {
		l.screen.Warn(line)
	} else {
		l.screen.Error(line)
	}
	return nil
}

// WithAttrs returns a log whose records have these attributes, too.
func (l screenLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	l.Handler, l.attrs = l.Handler.WithAttrs(attrs), append(slices.Clip(l.attrs), attrs...)
	return l
}

// WithGroup returns a log whose further attributes are in a group.
func (l screenLog) WithGroup(name string) slog.Handler {
	l.Handler = l.Handler.WithGroup(name)
	return l
}
