package program

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signals are those that end the console.
type signals struct {
	came chan os.Signal

	mu    sync.Mutex
	first syscall.Signal // 0: none has come
}

// notifySignals begins to listen for signals that end the console.
func notifySignals() *signals {
	s := &signals{came: make(chan os.Signal, 1)}
	signal.Notify(s.came, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	return s
}

// on calls end with each signal, until the function that it returns is called.
func (s *signals) on(end func(syscall.Signal)) (stop func()) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case sig := <-s.came:
				number := sig.(syscall.Signal)
				s.mu.Lock()
				if s.first == 0 && number != syscall.SIGINT {
					s.first = number
				}
				s.mu.Unlock()
				end(number)
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

// cancelOn cancels what a signal ends.
func (s *signals) cancelOn(cancel context.CancelFunc) (stop func()) {
	return s.on(func(syscall.Signal) { cancel() })
}

// code returns the exit code: that of the signal which ended the console, or the given one.
func (s *signals) code(otherwise int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == 0 {
		return otherwise
	}
	return 128 + int(s.first)
}
