package cli

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/journal/file"
)

// A Stop is how a signal asks the process to end.
type Stop struct {
	Asked <-chan struct{} // closed at the first signal
	first *os.Signal      // set before that
}

// Signal returns the signal that asked; nil if none has.
func (s Stop) Signal() os.Signal {
	select {
	case <-s.Asked:
		return *s.first
	default:
		return nil
	}
}

// NotifyStop listens for SIGINT, SIGTERM and SIGHUP. The second ends the process at once with 128 +
// its number.
func NotifyStop() Stop { return NotifyStopOn(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) }

// NotifyStopOn is [NotifyStop] for other signals.
func NotifyStopOn(which ...os.Signal) Stop {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, which...)
	stop := make(chan struct{})
	var first os.Signal
	go func() {
		first = <-signals
		close(stop)
		second := <-signals
		code := ExitFailed
		if s, ok := second.(syscall.Signal); ok {
			code = 128 + int(s)
		}
		os.Exit(code)
	}()
	return Stop{stop, &first}
}

// ResumePath turns a --resume that is a path into the session's id, and makes the folder
// that it lies in the state folder of this process, and its store.
func ResumePath(settings *config.Config, resume *string) error {
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
	settings.Home, settings.StoreSettings, *resume = root, config.StoreSettings{}, string(id)
	return nil
}
