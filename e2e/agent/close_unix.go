//go:build unix

package agent

import (
	"os"
	"os/signal"
	"syscall"
)

// CloseOutput is the signal on which the agent closes its output, and goes on otherwise.
const CloseOutput = syscall.SIGUSR1

// closeOutput waits for CloseOutput.
func closeOutput() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, CloseOutput)
	go func() {
		<-signals
		os.Stdout.Close()
	}()
}
