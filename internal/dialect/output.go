package dialect

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/wire"
)

// Grace is how long a client may leave unread what the process still has to write, once the
// input has ended or a signal has come.
const Grace = 2 * time.Second

// An Output is the outbox of a connection, and what is known of its reader.
type Output struct {
	*wire.Outbox
	to       io.Writer
	writer   *wire.Writer
	log      *slog.Logger
	stalled  chan struct{}
	broke    sync.Once
	broken   chan struct{} // closed after a panic
	panicked any           // what it was; it is set before broken is closed
	flight   inFlight
	unsaved  atomic.Bool // a session that was left could not be saved
	hangups  []func()    // stop what watches the two ends
}

// OpenOutput starts the outbox of a client that writes to in and reads from out. Close ends it.
func OpenOutput(in io.Reader, out io.Writer, bound int, log *slog.Logger) *Output {
	w := wire.NewWriter(out)
	o := &Output{Outbox: wire.NewOutbox(w, bound), to: out, writer: w, log: log, stalled: make(chan struct{}), broken: make(chan struct{})}
	o.hangups = []func(){
		// Nothing may be written for hours while an approval is pending.
		wire.NotifyReaderClosed(out, func() { w.Fail(errClosed) }),
		// The reader of the input may wait for room in the outbox, and does not see its end.
		wire.NotifyInputEnded(in, o.Expire),
	}
	return o
}

var errClosed = errors.New("its reader has closed it")

// Deserted reports whether the client has closed its end by now: it neither sends nor reads.
func (o *Output) Deserted() bool {
	select {
	case <-o.Gone():
		return true
	default:
	}
	if to, ok := o.to.(readerCloser); ok {
		return to.ReaderClosed()
	}
	return wire.ReaderClosed(o.to)
}

// A readerCloser is an output without a descriptor, which knows itself whether its reader has closed it.
type readerCloser interface{ ReaderClosed() bool }

// Gone is closed when the client does not read any more.
func (o *Output) Gone() <-chan struct{} { return o.writer.Closed() }

// Stalled is closed when the client has stopped reading and Expire has ended the output. Then
// it is gone, too.
func (o *Output) Stalled() <-chan struct{} { return o.stalled }

// Expire is called when the connection is about to end: from now on the client has to read.
func (o *Output) Expire() {
	o.Outbox.Expire(Grace, func() {
		o.log.Warn("the client does not read what it was sent: the rest is dropped")
		close(o.stalled)
	})
}

// Close waits until everything is written, or the client does not read any more.
func (o *Output) Close() {
	o.Expire()
	o.Outbox.Close()
	for _, stop := range o.hangups {
		stop()
	}
}
