//go:build unix

package wire

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// roleEnv is the environment variable that makes the test binary run one of the processes below instead of tests.
const roleEnv = "WIRE_TEST_ROLE"

var roles = map[string]func(*os.File) error{
	"talk":   talk,
	"listen": untilGone,
	"mutter": mutter,
	"parent": parent,
}

func TestMain(m *testing.M) {
	role, ok := roles[os.Getenv(roleEnv)]
	if !ok {
		os.Exit(m.Run())
	}
	out, err := ProtectStdout()
	if err == nil {
		err = role(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0) // without the "PASS" that m.Run would print
}

func runAs(role string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	return cmd
}

// talk writes one line to the protocol, and prints to stdout in every other way.
func talk(out *os.File) error {
	if os.Stdout != os.Stderr {
		return errors.New("os.Stdout is not os.Stderr")
	}
	fmt.Println("stray print")
	if _, err := unix.Write(1, []byte("stray fd 1\n")); err != nil {
		return err
	}
	child := exec.Command("sh", "-c", "echo stray child")
	child.Stdout = os.Stdout
	if err := child.Run(); err != nil {
		return err
	}
	flags, err := unix.FcntlInt(out.Fd(), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		return fmt.Errorf("children inherit the private stdout: %x, %v", flags, err)
	}
	return NewWriter(out).WriteLine([]byte("line"))
}

func TestProtectStdout(t *testing.T) {
	var stdout, stderr bytes.Buffer
	cmd := runAs("talk")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if diff := cmp.Diff("line\n", stdout.String()); diff != "" {
		t.Errorf("stdout (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff("stray print\nstray fd 1\nstray child\n", stderr.String()); diff != "" {
		t.Errorf("stderr (-want +got)\n%s", diff)
	}
}

// untilGone writes until the reader has closed the pipe, and then reports that it still runs.
func untilGone(out *os.File) error {
	w := NewWriter(out)
	for {
		err := w.WriteLine([]byte("line"))
		if errors.Is(err, ErrOutputClosed) && errors.Is(err, syscall.EPIPE) {
			break
		} else if err != nil {
			return err
		}
	}
	<-w.Closed()
	fmt.Fprintln(os.Stderr, "alive")
	return nil
}

func TestProtectStdoutReaderGone(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := runAs("listen")
	cmd.Stdout, cmd.Stderr = out, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if _, err := in.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil || stderr.String() != "alive\n" {
		t.Errorf("%v, stderr %q", err, &stderr)
	}
}

// mutter logs to a stderr without a reader, and then writes a line.
func mutter(out *os.File) error {
	if _, err := os.Stderr.WriteString("log\n"); !errors.Is(err, syscall.EPIPE) {
		return NewWriter(out).WriteLine(fmt.Appendf(nil, "writing to stderr: %v", err))
	}
	return NewWriter(out).WriteLine([]byte("line"))
}

// The process must not end when the reader of stderr does: without a handler Go exits with SIGPIPE.
func TestProtectStdoutStderrGone(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	defer out.Close()
	cmd := runAs("mutter")
	cmd.Stderr = out
	if stdout, err := cmd.Output(); err != nil || string(stdout) != "line\n" {
		t.Errorf("%v, stdout %q", err, stdout)
	}
}

// parent runs a child that sends itself SIGPIPE.
func parent(*os.File) error {
	text, err := exec.Command("sh", "-c", "kill -PIPE $$; echo survived").Output()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || !strings.Contains(exit.Error(), "broken pipe") {
		return fmt.Errorf("child did not die of SIGPIPE: %q, %v", text, err)
	}
	return nil
}

// In "yes | head" the signal ends yes: children must not ignore it.
func TestProtectStdoutChildrenKeepSIGPIPE(t *testing.T) {
	if text, err := runAs("parent").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
