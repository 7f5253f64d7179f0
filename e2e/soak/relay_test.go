//go:build linux

package soak

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/dialect/dialogue"
)

const (
	killEvery    = 23 // turns of a relayed client, in the last of which its process is killed
	archiveEvery = 17 // turns of one of Codex, after which a session is archived and listed again
)

// A relayed client is one of another dialect, whose process relays it to the host.
type relayed struct {
	*crowd
	speaker
	name     string
	number   int    // as of a driver
	resume   string // the line that opens a session again
	process  *stage.Process
	lines    *bufio.Reader
	talk     dialogue.Client
	joined   map[string]bool // sessions that the process has opened
	sessions []*conversation
}

// launch starts the process.
func (r *relayed) launch() error {
	r.process = stage.Launch(r.TB, r.host.place.Command(r.TB, append(r.Args, "--host")...))
	r.lines = bufio.NewReaderSize(r.process.Stdout, 1<<16)
	r.joined = map[string]bool{}
	for _, line := range r.Hello {
		if err := r.send(line, ""); err != nil {
			return err
		}
	}
	return nil
}

// open starts the process, and makes the sessions.
func (r *relayed) open(_ context.Context, sessions int) error {
	if err := r.launch(); err != nil {
		return err
	}
	for range sessions {
		if err := r.send(r.Open, ""); err != nil {
			return err
		}
		line, err := r.until(dialogue.Marks{string(r.Opened)})
		if err != nil {
			return err
		}
		r.talk.Enter(line)
		r.sessions = append(r.sessions, &conversation{id: r.talk.Session, phase: len(r.sessions)})
		r.joined[r.talk.Session] = true
	}
	return nil
}

// run has turns until it is enough.
func (r *relayed) run(context.Context) error {
	for turn := 0; r.goesOn(); turn++ {
		s := r.sessions[turn%len(r.sessions)]
		if err := r.turn(s, turn+r.number); err != nil {
			return fmt.Errorf("%s, turn %d of session %s: %w; %s", r.name, s.accepted, s.id, err, r.process.Stderr)
		}
		r.rest()
	}
	_ = r.process.Stdin.Close()
	if code := r.process.Code(); code != 0 {
		return fmt.Errorf("%s: exit code %d; %s", r.name, code, r.process.Stderr)
	}
	return nil
}

// turn has one turn to its end; or to its middle, where the process is killed: the host has the turn to its end.
func (r *relayed) turn(s *conversation, turn int) error {
	if err := r.join(s); err != nil {
		return err
	}
	begin := time.Now()
	text := s.text()
	if err := r.send(r.Prompt, text); err != nil {
		return err
	}
	s.accepted++
	if turn%killEvery == killEvery-1 && !strings.HasSuffix(text, look) {
		return r.killed()
	}
	line, err := r.until(r.Ended)
	if err != nil {
		return err
	}
	if id, _ := r.EndedIn.Of(line); !r.Completed.In(line) || string(id) != s.id {
		return fmt.Errorf("the turn ended with %s", line)
	}
	r.ended(time.Since(begin))
	r.count("turns of " + r.speaker.Name)
	if r.speaker.Name == "codex" && turn%archiveEvery == archiveEvery-1 {
		return r.archive(s)
	}
	return nil
}

// join opens a session again that an earlier process has opened.
func (r *relayed) join(s *conversation) error {
	r.talk.Session = s.id
	if r.joined[s.id] {
		return nil
	}
	r.joined[s.id] = true
	return r.call(r.resume)
}

// call sends a request, and waits for its answer.
func (r *relayed) call(line string) error {
	if err := r.send(line, ""); err != nil {
		return err
	}
	_, err := r.until(dialogue.Marks{fmt.Sprintf(`"id":%d,`, r.talk.Last), `"result":`})
	return err
}

// archive takes a session off the list, which closes it, and puts it there again.
func (r *relayed) archive(s *conversation) error {
	for _, method := range []string{"thread/archive", "thread/unarchive"} {
		if err := r.call(`{"id":$N,"method":"` + method + `","params":{"threadId":"$SESSION"}}`); err != nil {
			return err
		}
	}
	r.count("sessions archived, and listed again")
	delete(r.joined, s.id)
	return nil
}

// killed waits until the model speaks, kills the process, and starts another one.
func (r *relayed) killed() error {
	if _, err := r.until(r.Delta); err != nil {
		return err
	}
	if err := r.process.Cmd.Process.Kill(); err != nil {
		return err
	}
	<-r.process.Ended
	for _, end := range []interface{ Close() error }{r.process.Stdin, r.process.Stdout} {
		if err := end.Close(); err != nil {
			return err
		}
	}
	r.count("relays killed in a turn")
	return r.launch()
}

// send writes a line for the current session.
func (r *relayed) send(line, text string) error {
	_, err := r.process.Stdin.WriteString(strings.TrimSpace(r.talk.Fill(line, text)) + "\n")
	return err
}

// until reads up to a line that has the marks, and returns it. It allows what is asked.
func (r *relayed) until(marks dialogue.Marks) ([]byte, error) {
	if err := r.process.Stdout.SetReadDeadline(time.Now().Add(turnPatience)); err != nil {
		return nil, err
	}
	for {
		line, err := r.lines.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("no line with %q: %w", marks, err)
		}
		if r.speaker.Failed.In(line) {
			return nil, fmt.Errorf("an error: %s", line)
		}
		if answer, ok := r.talk.Allows(line); ok {
			r.count("calls allowed")
			if err := r.send(answer, ""); err != nil {
				return nil, err
			}
		}
		if marks.In(line) {
			return line, nil
		}
	}
}
