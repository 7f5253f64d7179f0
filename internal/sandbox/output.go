package sandbox

import (
	"errors"
	"io"
	"os"
	"reflect"
	"sync"
	"time"
)

// An output copies what a command writes, with one pipe per writer.
type output struct {
	pipes []pipe
	done  chan struct{} // closed when every pipe is copied to its end
}

type pipe struct {
	from *os.File
	to   io.Writer
	end  func() // nil: nothing
}

// bufferSize is the capacity of a Linux pipe, in bytes: one read empties a pipe.
const bufferSize = 64 << 10

// drainDelay is the time to wait for output of the rest of a command's group after its leader
// has ended by itself: `> >(tee log)` needs a moment. There is no wait if no other process has
// the output open.
const drainDelay = 250 * time.Millisecond

// leftoverSize limits what is read from a pipe that a process still has open which could not be
// found: the largest capacity that a user may set for a pipe, in bytes.
const leftoverSize = 1 << 20

var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// openOutput returns the files for a command's descriptors 0, 1 and 2, which the caller closes,
// and the output that copies from them.
func openOutput(stdout, stderr io.Writer) (o *output, files []*os.File, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	o = &output{done: make(chan struct{})}
	outEnd, err := o.open(stdout, null)
	if err != nil {
		null.Close()
		return nil, nil, err
	}
	if sameWriter(stdout, stderr) {
		return o, []*os.File{null, outEnd, outEnd}, nil
	}
	errEnd, err := o.open(stderr, null)
	if err != nil {
		o.abandon()
		closeAll([]*os.File{null, outEnd})
		return nil, nil, err
	}
	return o, []*os.File{null, outEnd, errEnd}, nil
}

// sameWriter reports whether both are the same writer; false for types that cannot be compared.
func sameWriter(v, w io.Writer) bool {
	return v != nil && w != nil && reflect.TypeOf(v).Comparable() && v == w
}

// open returns the file that a command writes to: null, or the end of a new pipe.
func (o *output) open(to io.Writer, null *os.File) (*os.File, error) {
	if to == nil {
		return null, nil
	}
	from, end, err := outputPipe()
	if err != nil {
		return nil, err
	}
	o.pipes = append(o.pipes, pipe{from: from, to: to})
	return end, nil
}

// copy starts copying: one goroutine per pipe, and one that waits for them. stop ends them.
func (o *output) copy() {
	var copying sync.WaitGroup
	for _, p := range o.pipes {
		copying.Go(p.copy)
	}
	go func() {
		copying.Wait()
		close(o.done)
	}()
}

// stop copies what the pipes contain now and returns. Later output is lost.
func (o *output) stop() {
	for _, p := range o.pipes {
		_ = p.from.SetReadDeadline(time.Unix(1, 0)) // it fails once the pipe is at its end
	}
	<-o.done
}

// abandon closes an output that was never copied.
func (o *output) abandon() {
	for _, p := range o.pipes {
		p.from.Close()
	}
}

// copy copies to the end of the pipe, or until stop.
func (p pipe) copy() {
	if p.end != nil {
		defer p.end()
	}
	defer p.from.Close()
	buffer := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buffer)
	for {
		n, err := p.from.Read(buffer[:])
		if n > 0 {
			_, _ = p.to.Write(buffer[:n])
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.copyLeftover(buffer[:])
		}
		if err != nil {
			return
		}
	}
}

// copyLeftover copies what is in the pipe without waiting for more.
func (p pipe) copyLeftover(buffer []byte) {
	_ = p.from.SetReadDeadline(time.Time{})
	for left := leftoverSize; left > 0; {
		n := readAvailable(p.from, buffer)
		if n <= 0 {
			return
		}
		_, _ = p.to.Write(buffer[:n])
		left -= n
	}
}

// closeAll closes files; the same file may occur twice.
func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
