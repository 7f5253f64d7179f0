package transcript

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	ossignal "os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"
)

// asFake makes the test binary the fake program.
const asFake = "TRANSCRIPT_FAKE"

func TestMain(m *testing.M) {
	if os.Getenv(asFake) != "" {
		ctx, stop := ossignal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
		code := fake(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
		stop()
		os.Exit(code)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.Exit(RemoveBuild(code))
	}))
}

// An order is a line to the fake program.
type order struct {
	Emit  []string `json:"emit"`  // lines to write as they are
	New   string   `json:"new"`   // write an id that counts up under this key
	Env   string   `json:"env"`   // write a setting
	File  string   `json:"file"`  // write a file's content
	Touch string   `json:"touch"` // make a file
	Note  string   `json:"note"`  // write to standard error
	Exit  *int     `json:"exit"`
	Wait  bool     `json:"wait"` // wait for a signal
}

// fake obeys orders until its input ends. With the argument "args" it begins by showing its
// arguments, with "late" it has a last word.
func fake(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	if len(args) > 0 && args[0] == "args" {
		fmt.Fprintf(stdout, "%q\n", args)
	}
	ids := 0
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		if lines.Text() == "ping" {
			fmt.Fprintln(stdout, "pong")
			continue
		}
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			fmt.Fprintf(stdout, "bad order %s\n", lines.Text())
			continue
		}
		for _, line := range o.Emit {
			fmt.Fprintln(stdout, line)
		}
		switch {
		case o.New != "":
			ids++
			fmt.Fprintf(stdout, "{%q:\"id-%d\"}\n", o.New, ids)
		case o.Env != "":
			fmt.Fprintf(stdout, "{\"value\":%q}\n", setting(env, o.Env))
		case o.File != "":
			data, err := os.ReadFile(o.File)
			fmt.Fprintf(stdout, "{\"content\":%q,\"found\":%t}\n", data, err == nil)
		case o.Touch != "":
			if err := os.WriteFile(o.Touch, nil, 0o600); err != nil {
				fmt.Fprintln(stderr, err)
			}
		case o.Note != "":
			fmt.Fprintln(stderr, o.Note)
		case o.Exit != nil:
			return *o.Exit
		case o.Wait:
			fmt.Fprintln(stdout, `{"type":"waiting"}`)
			<-ctx.Done()
			fmt.Fprintln(stdout, `{"type":"interrupted"}`)
			return 7
		}
	}
	if slices.Contains(args, "late") {
		fmt.Fprintln(stdout, `{"type":"late"}`)
	}
	return 0
}

// setting returns the last value of name in env.
func setting(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// modes returns how transcripts can be played.
func modes(t *testing.T) map[string]Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A race-enabled program would sleep for a second at its end.
	env := []string{asFake + "=1", "GORACE=atexit_sleep_ms=0"}
	return map[string]Options{
		"process":    {Binary: self, Env: env},
		"in process": {Serve: fake},
	}
}
