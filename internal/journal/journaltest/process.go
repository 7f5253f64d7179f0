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

// roleEnv is the environment variable that makes the test binary run a role. Its value is the role,
// the location and the session, separated by line feeds.
const roleEnv = "PARLEY_JOURNALTEST_ROLE"

// The roles. All but the last lease the session and write one line after each operation.
const (
	// roleHolder writes "held" or why it is not, then appends a record for every line that it reads
	// and writes the new head. It releases the lease when its input ends.
	roleHolder = "holder"
	// roleWriter appends until it is killed. It writes the new head after each record.
	roleWriter = "writer"
	// roleGiver writes "held", awaits a request, writes "requested", and releases the lease when it has
	// read a line. Then it writes its head.
	roleGiver = "giver"
	// roleRequester requests the lease, writes "requested" and waits for the end of its input.
	roleRequester = "requester"
)

// Main runs the tests of a driver's package, and checks that no goroutine remains after them.
func Main(m *testing.M, d Driver) {
	role := os.Getenv(roleEnv)
	if role == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := runRole(d, strings.Split(role, "\n")); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func runRole(d Driver, role []string) error {
	store, err := d.Open(role[1])
	if err != nil {
		return err
	}
	id := event.SessionID(role[2])
	if role[0] == roleRequester {
		return runRequester(store, id)
	}
	j, err := store.Lease(context.Background(), id)
	if locked, ok := errors.AsType[*journal.LockedError](err); ok {
		return fmt.Errorf("locked by %d", locked.PID)
	}
	if err != nil {
		return err
	}
	j = durable(store, j) // what it reports can be read
	if role[0] == roleWriter {
		for {
			if err := appendAndReport(j); err != nil {
				return err
			}
		}
	}
	fmt.Println("held")
	if role[0] == roleGiver {
		return runGiver(store, j)
	}
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		if err := appendAndReport(j); err != nil {
			return err
		}
	}
	return errors.Join(j.Close(), store.Close())
}

func runGiver(store journal.Store, j journal.Journal) error {
	if err := store.(journal.LeaseRequester).AwaitRequest(context.Background(), j.ID()); err != nil {
		return err
	}
	fmt.Println("requested")
	if orders := bufio.NewScanner(os.Stdin); !orders.Scan() {
		return errors.New("no order to release the lease")
	}
	if err := j.Release(); err != nil {
		return err
	}
	fmt.Println(j.Head())
	return errors.Join(j.Close(), store.Close())
}

func runRequester(store journal.Store, id event.SessionID) error {
	if _, err := store.(journal.LeaseRequester).RequestLease(id); err != nil {
		return err
	}
	fmt.Println("requested")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func appendAndReport(j journal.Journal) error {
	head := j.Head()
	if err := j.Append(head, []event.Record{note(int(head))}); err != nil {
		return err
	}
	fmt.Println(j.Head())
	return nil
}

// A process is this test binary, running one of the roles.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts a process, which ends with the test at the latest.
func (env *testEnv) start(t *testing.T, role string, id event.SessionID) *process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+strings.Join([]string{role, env.location, string(id)}, "\n"))
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

// line returns the next line that the process writes; "" when it has ended.
func (p *process) line(t *testing.T) string {
	t.Helper()
	text, err := p.out.ReadString('\n')
	if err != nil && err != io.EOF {
		t.Fatalf("read from process: %v", err)
	}
	return strings.TrimSuffix(text, "\n")
}

// requestAppend makes a holder append a record and returns the line that it writes.
func (p *process) requestAppend(t *testing.T) string {
	t.Helper()
	if _, err := io.WriteString(p.in, "append\n"); err != nil {
		t.Fatal(err)
	}
	return p.line(t)
}

// end stops a holder and waits for its end.
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
