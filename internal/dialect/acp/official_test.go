package acp

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/acp/acptest"
	"parley.dev/parley/internal/dialect/dialecttest"
)

// An official checks the frames of one connection against the official schema and, in version 1, their order. It collects what is
// wrong.
type official struct {
	schema   *acptest.Official
	order    *acptest.Order
	problems []string
}

func newOfficial(t dialecttest.Tester, draft string) *official {
	t.Helper()
	schema, err := acptest.NewOfficial(draft)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return &official{schema: schema, order: acptest.NewOrder()}
}

// fromClient notes a line of the client. Transcripts send wrong ones on purpose, so that it is no problem if one is.
func (o *official) fromClient(line []byte) {
	_ = o.schema.FromClient(line)
	o.order.FromClient(line)
}

// fromAgent checks a line of the dialect.
func (o *official) fromAgent(line []byte) {
	if err := o.schema.FromAgent(line); err != nil {
		o.problems = append(o.problems, err.Error())
	}
	o.order.FromAgent(line)
}

// officially is serve whose lines are held to the schema, and to the order that version 1 wants.
func officially(t dialecttest.Tester, serve dialecttest.Server) dialecttest.Server {
	return func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		draft := draftOf(args, dialecttest.Getenv(env))
		o := newOfficial(t, draft)
		return dialecttest.Tapped(serve, o.fromClient, o.fromAgent, func(rest string) {
			if rest != "" {
				o.problems = append(o.problems, "the last line has no end: "+rest)
			}
			if draft != acptest.V2 {
				o.problems = append(o.problems, o.order.Problems()...)
			}
			dialecttest.Report(t, env, o.problems)
		})(ctx, args, stdin, stdout, stderr, env)
	}
}

// draftOf returns the schema for a command line.
func draftOf(args []string, getenv func(string) string) string {
	switch {
	case slices.Contains(args, "--v2") || getenv("PARLEY_ACP_V2") != "":
		return acptest.V2
	case slices.Contains(args, "--unstable") || getenv("PARLEY_ACP_UNSTABLE") != "":
		return acptest.V1Unstable
	}
	return acptest.V1
}

// TestOfficially wants a server that writes a wrong frame to be reported, and one that does not to pass.
func TestOfficially(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}` + "\n"
	for _, test := range []struct{ name, answer, want string }{
		{"right", `{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}` + "\n", ""},
		{"wrong", `{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"cwd":"/a"}]}}` + "\n", "sessionId"},
		{"twice", `{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}` + "\n", "no request 1"},
		{"too early", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"ask"}}}` + "\n", "session s, which the client does not have"},
		{"cut", `{"jsonrpc":"2.0",`, "the last line has no end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r notes
			serve := officially(&r, func(_ context.Context, _ []string, stdin io.Reader, stdout, _ io.Writer, _ []string) int {
				if _, err := io.Copy(io.Discard, stdin); err != nil {
					t.Error(err)
				}
				if _, err := io.WriteString(stdout, test.answer); err != nil {
					t.Error(err)
				}
				return 0
			})
			serve(t.Context(), nil, strings.NewReader(call), io.Discard, io.Discard, []string{"PWD=/x/" + test.name + "/work"})
			if got := strings.Join(r.problems, "\n"); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("problems: %q, want one with %q", got, test.want)
			}
		})
	}
}

// A notes is a test that stores what it is reported.
type notes struct{ problems []string }

func (r *notes) Helper() {}
func (r *notes) Errorf(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}
func (r *notes) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
