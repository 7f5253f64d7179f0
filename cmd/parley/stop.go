package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/journal/file"
)

// A stopping is how a signal asks the process to end.
type stopping struct {
	asked <-chan struct{} // closed at the first signal
	first *os.Signal      // set before that
}

// signal is the signal that asked; nil if none has.
func (s stopping) signal() os.Signal {
	select {
	case <-s.asked:
		return *s.first
	default:
		return nil
	}
}

// notifyStop listens for SIGINT, SIGTERM and SIGHUP. The second ends the process at once with 128 +
// its number.
func notifyStop() stopping { return notifyStopOn(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) }

// notifyStopOn is notifyStop for other signals.
func notifyStopOn(which ...os.Signal) stopping {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, which...)
	stop := make(chan struct{})
	var first os.Signal
	go func() {
		first = <-signals
		close(stop)
		second := <-signals
		code := exitFailed
		if s, ok := second.(syscall.Signal); ok {
			code = 128 + int(s)
		}
		os.Exit(code)
	}()
	return stopping{stop, &first}
}

// resumePath turns a --resume that is a path into the session's id, and makes the folder
// that it lies in the state folder of this process.
func resumePath(settings *config.Config, resume *string) error {
	value := *resume
	if value == "" || value == "latest" {
		return nil
	}
	if !strings.ContainsRune(value, filepath.Separator) {
		if _, err := os.Stat(value); err != nil {
			return nil
		}
	}
	root, id, err := file.IDFromPath(value)
	if err != nil {
		return err
	}
	settings.Home, *resume = root, string(id)
	return nil
}
