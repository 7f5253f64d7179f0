package host

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
)

// A relay is a process whose client a host serves. It passes its stdin and stdout to the host, which reads and writes
// them directly, and then has nothing to do but to pass on signals and to wait for its exit code.

// A RefusedError is why a host does not serve a client.
type RefusedError struct {
	Reason string
	Full   bool // there are too many clients: nothing is wrong with this one
}

func (e *RefusedError) Error() string { return "the host refuses: " + e.Reason }

// ErrEnded is the end of a host that has not reported the outcome of the connection.
var ErrEnded = errors.New("the host has ended")

// A stopLine is what a relay sends when a signal asks it to end.
type stopLine struct {
	Stop int `json:"stop"` // number of the signal
}

// An exitLine is the last line of a host to a relay.
type exitLine struct {
	Exit  int    `json:"exit"`           // code
	Error string `json:"error,omitzero"` // for stderr
}

// dialWait is how long a host may take to accept a connection.
const dialWait = 5 * time.Second

// Listens reports whether a host accepts connections at a socket.
func Listens(socket string) bool {
	conn, err := net.DialTimeout("unix", socket, dialWait)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// Relay lets the host at a socket serve the client that writes to in and reads from out, until the connection ends, and
// returns the exit code. Stop asks the host to end the connection; signal says why. A *RefusedError says why the host
// does not serve the client; another error, that there is no host, that it has ended, or what the host reports.
func Relay(socket string, p Preamble, in, out *os.File, stop <-chan struct{}, signal func() os.Signal) (code int, err error) {
	conn, err := net.DialTimeout("unix", socket, dialWait)
	if err != nil {
		return 0, fmt.Errorf("no host answers: %w", err)
	}
	defer conn.Close()
	if !ours(conn) {
		return 0, fmt.Errorf("the process that listens at %s is one of another user: it is not sent what is read and written here", socket)
	}
	line, err := json.Marshal(p)
	if err != nil {
		return 0, err
	}
	unsent := sendFiles(conn.(*net.UnixConn), append(line, '\n'), in, out)
	lines := bufio.NewReader(conn)
	var a answer
	switch err := readValue(lines, &a); { // also if it was not sent: a host that refuses the client may have answered before
	case err != nil && unsent != nil:
		return 0, fmt.Errorf("connect to the host: %w", unsent)
	case err != nil:
		return 0, ErrEnded
	case !a.OK:
		return 0, &RefusedError{Reason: a.Error, Full: a.Full}
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-stop:
			number, _ := signal().(syscall.Signal)
			_ = writeLine(conn, stopLine{int(number)}) // a host that has ended is noticed below
		case <-ended:
		}
	}()
	var e exitLine
	if err := readValue(lines, &e); err != nil {
		return 0, ErrEnded
	}
	if e.Error != "" {
		err = errors.New(e.Error)
	}
	return e.Exit, err
}

// readValue reads a line of JSON.
func readValue(r *bufio.Reader, value any) error {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, value)
}

// A relayed client is at the other end of files that a relay has passed.
type relayed struct {
	conn    net.Conn // to the relay
	in, out *os.File
	stop    chan struct{} // closed when the client is to leave
	asked   os.Signal     // why; nil: the relay is gone, or the host stops. It is set before that
}

// watch waits for the relay to pass on a signal, or to end, or for the host to stop.
func (r *relayed) watch(lines *bufio.Reader, hostStops, done <-chan struct{}) {
	asked := make(chan os.Signal, 1)
	go func() {
		var s stopLine
		if readValue(lines, &s) == nil {
			asked <- syscall.Signal(s.Stop)
			_, _ = io.Copy(io.Discard, lines) // until the relay is gone
		}
		asked <- nil
	}()
	select {
	case r.asked = <-asked:
	case <-hostStops:
	case <-done:
		return
	}
	close(r.stop)
}

// signal returns the signal that the relay has passed on; nil: none.
func (r *relayed) signal() os.Signal {
	select {
	case <-r.stop:
		return r.asked
	default:
		return nil
	}
}

// end reports the exit code to the relay.
func (r *relayed) end(code int, err error) {
	e := exitLine{Exit: code}
	if err != nil {
		e.Error = err.Error()
	}
	closeReceived(r.in)
	closeReceived(r.out)
	_ = writeLine(r.conn, e) // a relay that is gone needs none
}

// firstLine reads the preamble of a connection, with the files that came with it.
type firstLine struct {
	conn  *net.UnixConn
	files []*os.File
	read  bool // the preamble was read: files that come later are closed
}

// maxFiles is how many files may come with a preamble: stdin and stdout.
const maxFiles = 2

// Read implements io.Reader.
func (f *firstLine) Read(p []byte) (int, error) {
	oob := make([]byte, filesSpace(maxFiles+1))
	n, used, _, _, err := f.conn.ReadMsgUnix(p, oob)
	files, filesErr := receivedFiles(oob[:used])
	if f.read {
		for _, file := range files {
			closeReceived(file)
		}
	} else {
		f.files = append(f.files, files...)
	}
	switch {
	case filesErr != nil:
		return 0, filesErr
	case err != nil:
		return max(n, 0), err
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// close closes the files.
func (f *firstLine) close() {
	for _, file := range f.files {
		closeReceived(file)
	}
	f.files = nil
}

// sendFiles sends a line and files with it.
func sendFiles(conn *net.UnixConn, line []byte, files ...*os.File) error {
	n, _, err := conn.WriteMsgUnix(line, filesMessage(files...), nil)
	if err == nil && n < len(line) {
		_, err = io.Copy(conn, bytes.NewReader(line[n:]))
	}
	return err
}
