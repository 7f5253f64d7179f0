package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/sandbox"
)

// Lines is the transport of programs, and its one connection: a message a line. The
// library's own cannot give up a write to a program that does not read, and ends at the first
// line that is not JSON.
type lines struct {
	in    *bufio.Reader
	from  io.Closer
	out   io.WriteCloser      // Close ends a Write that waits
	stray *sandbox.LineWriter // gets the lines that are no messages

	queue  []jsonrpc.Message // the rest of a batch; only for Read
	frames chan frame        // to the writer
	once   sync.Once
	closed chan struct{}
	wrote  chan struct{} // closed when the writer has ended
}

// A frame is a line to be written.
type frame struct {
	line []byte
	done chan error // room for one
}

// maxLine bounds a line of a program, in bytes.
const maxLine = 64 << 20

var errLongLine = lazy.Value[error]{New: func() error { return fmt.Errorf("the server wrote a line of more than %d MiB", maxLine>>20) }}

// newLines starts the writer, which Close ends.
func newLines(in io.ReadCloser, out io.WriteCloser, stray *sandbox.LineWriter) *lines {
	l := &lines{
		in: bufio.NewReaderSize(in, 64<<10), from: in, out: out, stray: stray,
		frames: make(chan frame), closed: make(chan struct{}), wrote: make(chan struct{}),
	}
	go l.write()
	return l
}

// Connect returns l itself.
func (l *lines) Connect(context.Context) (sdk.Connection, error) { return l, nil }

// SessionID is "": there is no such thing.
func (l *lines) SessionID() string { return "" }

// Read returns the next message. Lines that cannot be meant as one are left out: many a
// program prints a greeting on stdout.
func (l *lines) Read(context.Context) (jsonrpc.Message, error) {
	for len(l.queue) == 0 {
		line, err := l.line()
		if err != nil {
			select {
			case <-l.closed:
				return nil, io.EOF
			default:
				return nil, err
			}
		}
		if l.queue, err = parseLine(line); err != nil {
			return nil, fmt.Errorf("%w: %v", errNoMessage, err) // not as an answer of the server
		}
		if len(l.queue) == 0 && len(bytes.TrimSpace(line)) > 0 {
			_, _ = l.stray.Write(append(line, '\n'))
		}
	}
	next := l.queue[0]
	l.queue = l.queue[1:]
	return next, nil
}

// line reads up to LF, or to the end of what is written.
func (l *lines) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errLongLine.Get()
		}
		line = append(line, part...)
		switch {
		case err == nil, err == io.EOF && len(line) > 0:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// parseLine returns the message of a line, or the messages of a batch; none if the line is
// something else: text, a log entry in JSON or a part of one. A message that cannot be read is
// an error for the call that it answers, or else an error of the line.
func parseLine(line []byte) ([]jsonrpc.Message, error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' && line[0] != '[' {
		return nil, nil
	}
	parts := []jsontext.Value{line}
	if line[0] == '[' {
		if json.Unmarshal(line, &parts) != nil {
			return nil, nil // "[info] listening"
		}
	}
	var messages []jsonrpc.Message
	for _, part := range parts {
		m, err := jsonrpc.DecodeMessage(adjust(part, ""))
		if err != nil {
			id, claims := claimOf(part)
			switch {
			case !claims:
				continue
			case !id.IsValid():
				return nil, err
			}
			m = &jsonrpc.Response{ID: id, Error: fmt.Errorf("%w: %v", errNoMessage, err)}
		}
		messages = append(messages, m)
	}
	return messages, nil
}

var errNoMessage = errors.New("the server wrote what is no message")

// claimOf reports whether a value that is no message is meant as one: it is an object, or the
// beginning of one, with a member "jsonrpc". The id is that of the call it answers, if it names one.
func claimOf(value []byte) (id jsonrpc.ID, claims bool) {
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if token, err := in.ReadToken(); err != nil || token.Kind() != '{' {
		return id, false
	}
	isRequest := false
	for {
		name, err := in.ReadToken()
		if err != nil || name.Kind() != '"' {
			break
		}
		key := name.String()
		member, err := in.ReadValue()
		switch key {
		case "jsonrpc":
			claims = true
		case "method":
			isRequest = true
		case "id":
			if number, bad := strconv.ParseInt(string(member), 10, 64); bad == nil { // ours are numbers
				id, _ = jsonrpc.MakeID(float64(number))
			}
		}
		if err != nil {
			break
		}
	}
	if isRequest {
		id = jsonrpc.ID{}
	}
	return id, claims
}

// Write writes one message. When ctx ends, a line that was begun is written to its end
// all the same, by and by.
func (l *lines) Write(ctx context.Context, m jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	f := frame{append(line, '\n'), make(chan error, 1)}
	select {
	case l.frames <- f:
	case <-l.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-f.done:
		return err
	case <-l.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write is the one writer, until Close.
func (l *lines) write() {
	defer close(l.wrote)
	for {
		select {
		case f := <-l.frames:
			_, err := l.out.Write(f.line)
			f.done <- err
		case <-l.closed:
			return
		}
	}
}

// Close closes both directions and ends the writer.
func (l *lines) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.from.Close()
		l.out.Close()
	})
	<-l.wrote
	return nil
}
