package host

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
)

// A Status is what a running host says about itself.
type Status struct {
	Running  bool   `json:"running"`
	PID      int    `json:"pid,omitzero"`
	Host     string `json:"host,omitzero"`
	Socket   string `json:"socket,omitzero"`
	Sessions *int   `json:"sessions,omitzero"` // open ones
	Clients  *int   `json:"clients,omitzero"`  // besides the one that asks
}

// statusWait is how long a host may take to answer.
const statusWait = 5 * time.Second

// ReadStatus asks the host at a socket about itself. No host is no error.
func ReadStatus(socket string) (Status, error) {
	conn, err := net.DialTimeout("unix", socket, statusWait)
	if err != nil {
		return Status{}, nil //nolint:nilerr // there is no host
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(statusWait)); err != nil {
		return Status{}, err
	}
	status := Status{Running: true, PID: peerPID(conn), Socket: socket}
	_, unsent := conn.Write([]byte(statusRequest))
	err = status.read(bufio.NewReader(conn)) // also if the host has closed the connection: it may have answered before
	if unsent != nil && err != nil {
		err = fmt.Errorf("%w (%w)", err, unsent)
	}
	return status, err
}

// statusRequest is all that ReadStatus sends. It is one write, since a host that refuses the first line closes the connection.
const statusRequest = `{"parley":1,"dialect":"native"}
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"status"}}}
{"jsonrpc":"2.0","id":2,"method":"host/info"}
`

// read reads the answers to the lines of ReadStatus.
func (s *Status) read(lines *bufio.Reader) error {
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the host does not answer: %w", err)
		}
		var m struct {
			OK     *bool `json:"ok"`
			Error  any   `json:"error"`
			ID     int   `json:"id"`
			Result struct {
				Host struct {
					ID string `json:"id"`
				} `json:"host"`
				Sessions int `json:"sessions"`
				Clients  int `json:"clients"`
			} `json:"result"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("the answer of the host: %w", err)
		}
		switch {
		case m.Error != nil:
			return fmt.Errorf("the host refuses: %v", m.Error)
		case m.ID == 2:
			clients := m.Result.Clients - 1
			s.Host, s.Sessions, s.Clients = m.Result.Host.ID, &m.Result.Sessions, &clients
			return nil
		}
	}
}

// Stop asks the host at a socket to end, as SIGTERM does, and waits until it has. False: there was none. Home is the state folder
// that the host is expected to have. Waits is called once if the host waits for sessions to end their turns.
func Stop(home, socket string, waits func(Waiting)) (bool, error) {
	conn, err := net.DialTimeout("unix", socket, statusWait)
	if err != nil {
		return false, nil //nolint:nilerr // there is no host
	}
	defer conn.Close()
	pid := peerPID(conn)
	if pid == 0 {
		return true, errors.New("the process of the host is not known")
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return true, err
	}
	if watch, err := net.DialTimeout("unix", socket, statusWait); err == nil {
		defer watch.Close()
		if lines := watchHost(watch); lines != nil {
			go reportWaiting(watch, lines, waits)
		}
	}
	if err := process.Signal(syscall.SIGTERM); err != nil {
		return true, fmt.Errorf("stop the host: %w", err)
	}
	// Without a preamble the host ends this connection when it begins to close; the socket is removed then, and the
	// process goes on until the turns have ended.
	//
	// The lock of the state folder is free after that, also if the parent of the process does not wait for its end: the id of
	// such a process stays in use. It says nothing of a host of another folder.
	ended := func() bool { return process.Signal(syscall.Signal(0)) != nil }
	if lockHolder(home) == pid {
		ended = func() bool { return !isLocked(home) }
	}
	for !ended() {
		<-time.After(stopPoll)
	}
	return true, nil
}

// watchRequest asks for the sessions of a host, and what becomes of them.
const watchRequest = `{"parley":1,"dialect":"native"}
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"stop"}}}
{"jsonrpc":"2.0","id":2,"method":"host/watch"}
`

// watchHost sends watchRequest. It returns the notifications of the host; nil: it does not accept the request.
func watchHost(conn net.Conn) *bufio.Reader {
	if err := conn.SetDeadline(time.Now().Add(statusWait)); err != nil {
		return nil
	}
	if _, err := conn.Write([]byte(watchRequest)); err != nil {
		return nil
	}
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadBytes('\n')
		var m struct {
			ID    int `json:"id"`
			Error any `json:"error"`
		}
		if err != nil || json.Unmarshal(line, &m) != nil || m.Error != nil {
			return nil
		}
		if m.ID == 2 && conn.SetDeadline(time.Time{}) == nil {
			return lines
		}
	}
}

// reportAfter is how long turns may go on before it is reported that the host waits for them.
const reportAfter = 300 * time.Millisecond

// Waiting is what a host waits for that begins to close.
type Waiting struct {
	Sessions int           // that work
	Asking   int           // those of them that wait for an answer
	Limit    time.Duration // how long at most
}

// reportWaiting reads the notifications of a host that begins to close. It calls waits once, if sessions still work after reportAfter.
func reportWaiting(conn net.Conn, lines *bufio.Reader, waits func(Waiting)) {
	working := map[string]string{} // their statuses
	var limit time.Duration
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, os.ErrDeadlineExceeded) && len(working) > 0 {
			w := Waiting{Sessions: len(working), Limit: limit}
			for _, status := range working {
				if status == "waiting" {
					w.Asking++
				}
			}
			waits(w)
		}
		if err != nil {
			return
		}
		var m struct {
			Method string `json:"method"`
			Params struct {
				Session string `json:"session"`
				Open    bool   `json:"open"`
				Status  string `json:"status"`
				InMS    int64  `json:"in_ms"`
			} `json:"params"`
		}
		if json.Unmarshal(line, &m) != nil {
			return
		}
		switch p := m.Params; m.Method {
		case "host/closing":
			limit = time.Duration(p.InMS) * time.Millisecond
			if conn.SetReadDeadline(time.Now().Add(reportAfter)) != nil {
				return
			}
		case "host/session":
			delete(working, p.Session)
			if p.Open && p.Status != "idle" {
				working[p.Session] = p.Status
			}
		}
	}
}

// stopPoll is how often it is looked whether the host has ended.
const stopPoll = 20 * time.Millisecond
