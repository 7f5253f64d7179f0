package journaltest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// roleVariable makes the test binary another process of the suite. Its value is the role,
// the place and the session, separated by line feeds.
const roleVariable = "PARLEY_JOURNALTEST_ROLE"

// The roles. Both lease the session and answer each thing done with one line.
const (
	// roleHolder says "held" or why not, then appends a record for every line it reads and
	// says the new head. It gives the lease back when its input ends.
	roleHolder = "holder"
	// roleWriter appends until it is killed. It says the new head after each record.
	roleWriter = "writer"
)

// Main runs the tests of a driver's package, and checks that no goroutine outlives them.
func Main(m *testing.M, d Driver) {
	role := os.Getenv(roleVariable)
	if role == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := act(d, strings.Split(role, "\n")); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func act(d Driver, role []string) error {
	store, err := d.Open(role[1])
	if err != nil {
		return err
	}
	j, err := store.Lease(context.Background(), event.SessionID(role[2]))
	if locked, ok := errors.AsType[*journal.LockedError](err); ok {
		return fmt.Errorf("locked by %d", locked.PID)
	}
	if err != nil {
		return err
	}
	if role[0] == roleWriter {
		for {
			if err := sayAppended(j); err != nil {
				return err
			}
		}
	}
	fmt.Println("held")
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		if err := sayAppended(j); err != nil {
			return err
		}
	}
	return errors.Join(j.Close(), store.Close())
}

func sayAppended(j journal.Journal) error {
	head := j.Head()
	if err := j.Append(head, []event.Record{note(int(head))}); err != nil {
		return err
	}
	fmt.Println(j.Head())
	return nil
}

// A process is this test binary in one of the roles.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts a process that ends with the test at the latest.
func (p *place) start(t *testing.T, role string, id event.SessionID) *process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+strings.Join([]string{role, p.name, string(id)}, "\n"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &process{cmd: cmd, in: in, out: bufio.NewReader(out)}
}

// line is the next line that the process says; "" when it has ended.
func (p *process) line(t *testing.T) string {
	t.Helper()
	text, err := p.out.ReadString('\n')
	if err != nil && err != io.EOF {
		t.Fatalf("read from process: %v", err)
	}
	return strings.TrimSuffix(text, "\n")
}

// ask makes a holder append a record and gives its answer.
func (p *process) ask(t *testing.T) string {
	t.Helper()
	if _, err := io.WriteString(p.in, "append\n"); err != nil {
		t.Fatal(err)
	}
	return p.line(t)
}

// end ends a holder and waits for it.
func (p *process) end(t *testing.T) {
	t.Helper()
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(p.out); err != nil || len(rest) > 0 {
		t.Errorf("process ends with %q, %v", rest, err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("process: %v", err)
	}
}
