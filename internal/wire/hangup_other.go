//go:build !linux

package wire

import "io"

// NotifyReaderClosed does nothing on this system: the next write fails.
func NotifyReaderClosed(io.Writer, func()) (stop func()) { return func() {} }

// NotifyInputEnded does nothing on this system: the next read returns the end of the input.
func NotifyInputEnded(io.Reader, func()) (stop func()) { return func() {} }
