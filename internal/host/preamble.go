package host

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/wire"
)

// A Preamble is the first line of a connection to the socket: which protocol the client speaks, and how it was started.
type Preamble struct {
	Parley  int               `json:"parley"` // version of the preamble, 1
	Dialect string            `json:"dialect"`
	Args    []string          `json:"args,omitzero"` // after the name of the dialect on its command line
	Cwd     string            `json:"cwd,omitzero"`
	Env     map[string]string `json:"env,omitzero"`    // PARLEY_MODEL, and what the dialect documents
	Client  string            `json:"client,omitzero"` // its name, for the log
}

// An answer is the line that a preamble is answered with.
type answer struct {
	OK    bool   `json:"ok"`
	Error string `json:"error,omitzero"`
	Full  bool   `json:"full,omitzero"` // why: there are too many clients; another one may find a place later
}

const (
	preambleVersion = 1
	preambleLimit   = 1 << 20 // bytes
	preambleSize    = 1 << 10 // bytes that are read at once
	preambleWait    = 10 * time.Second
)

// errNoPreamble is the end of a connection that was only opened to see whether a host listens, or that the host has
// closed.
var errNoPreamble = errors.New("the connection ended before its preamble did")

// readPreamble reads the first line of a connection. What follows it is left in r.
func readPreamble(conn net.Conn, r *bufio.Reader) (Preamble, error) {
	if err := conn.SetReadDeadline(time.Now().Add(preambleWait)); err != nil {
		return Preamble{}, err
	}
	line, err := readLine(r, preambleLimit)
	if err != nil {
		return Preamble{}, err
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return Preamble{}, err
	}
	return parsePreamble(line)
}

// readLine reads a line of at most limit bytes.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > limit {
			return nil, fmt.Errorf("the preamble is longer than %d bytes", limit)
		}
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
			return nil, errNoPreamble
		default:
			return nil, fmt.Errorf("no preamble within %s", preambleWait)
		}
	}
}

// parsePreamble reads a preamble; the error is a sentence for the client.
func parsePreamble(line []byte) (Preamble, error) {
	var p Preamble
	object, err := wire.ParseObject(line, wire.ObjectOptions{})
	if err != nil {
		return p, fmt.Errorf("the preamble is no JSON object: %w", err)
	}
	if err := object.Decode(&p); err != nil {
		return p, fmt.Errorf("the preamble cannot be used: %w", err)
	}
	if p.Parley != preambleVersion {
		return p, fmt.Errorf("the preamble has version %d; this host speaks %d", p.Parley, preambleVersion)
	}
	return p, nil
}

// write sends a value as a line.
func writeLine(w io.Writer, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
