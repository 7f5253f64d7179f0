//go:build linux

package soak

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
)

// lagTurns is how many turns pass before a sleeper reads.
const lagTurns = 10

// A sleeper is a client that follows the session of a worker with all its deltas, reads nothing for lagTurns turns, and then reads
// all of it. The host must lose nothing meanwhile.
type sleeper struct {
	*crowd
	worker *worker
	turned <-chan struct{} // a turn of the worker has ended
	conn   net.Conn
	lines  *bufio.Reader
	head   uint64
}

// run sleeps and reads until it is enough.
func (s *sleeper) run() error {
	if err := s.connect(); err != nil {
		return err
	}
	defer s.conn.Close()
	for goesOn := true; goesOn; {
		for range lagTurns {
			select {
			case <-s.turned:
			case <-s.enough:
				goesOn = false
			}
		}
		if err := s.read(s.worker.seen.Load()); err != nil {
			return fmt.Errorf("a client that slept, after record %d of session %s: %w", s.head, s.worker.session.ID(), err)
		}
		s.count("reads of clients that had read nothing for " + fmt.Sprint(lagTurns) + " turns")
	}
	return nil
}

func (s *sleeper) connect() (err error) {
	if s.conn, err = net.Dial("unix", s.host.Socket); err != nil {
		return err
	}
	s.lines = bufio.NewReader(s.conn)
	_, err = io.WriteString(s.conn, `{"parley":1,"dialect":"native"}`+"\n"+strings.Join(lines(s.worker.session.ID())[:3], "\n")+"\n")
	return err
}

// read reads to a record.
func (s *sleeper) read(last uint64) error {
	if err := s.conn.SetReadDeadline(time.Now().Add(stage.Patience)); err != nil {
		return err
	}
	for s.head < last {
		line, err := s.lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		var in struct {
			Error  *struct{ Message string } `json:"error"`
			Method string                    `json:"method"`
			Params struct {
				Record struct {
					Seq uint64 `json:"seq"`
				} `json:"record"`
			} `json:"params"`
		}
		if err := json.Unmarshal(line, &in); err != nil {
			return err
		}
		switch seq := in.Params.Record.Seq; {
		case in.Error != nil:
			return errors.New(in.Error.Message)
		case in.Method != "record" || seq == 0:
		case seq != s.head+1:
			return fmt.Errorf("record %d comes where %d should", seq, s.head+1)
		default:
			s.head = seq
		}
	}
	return nil
}
