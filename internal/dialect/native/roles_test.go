package native

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
)

// ask sends requests of a role to a host without sessions, and returns the answers.
func ask(t *testing.T, role Role, lines ...string) []string {
	t.Helper()
	env := []string{"PARLEY_HOME=" + t.TempDir()}
	p, err := dialecttest.Open(env, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all := append([]string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocol":1,"client":{"name":"t"}}}`}, lines...)
	var out strings.Builder
	code := Serve(context.Background(), &Config{
		Host: engine.NewHost(p.Config(scripted{dialecttest.NewModels(dialecttest.Getenv(env))}, nil)), Role: role,
		In: strings.NewReader(strings.Join(all, "\n") + "\n"), Out: &out, Log: slog.New(slog.DiscardHandler), Cwd: t.TempDir(),
		Profile: func(name string) (engine.Options, bool) { return Options(nil), name == DefaultProfile },
	})
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	var answers []string
	for lines := bufio.NewReader(strings.NewReader(out.String())); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return answers[1:]
		}
		answers = append(answers, line)
	}
}

// TestRoles: what a role may not do is refused with the role that is needed: after what is wrong with the form of params,
// and before what is wrong with the session.
func TestRoles(t *testing.T) {
	for _, c := range []struct {
		method, params string
		needs          Role
	}{
		{"grants/list", `{"session":"none"}`, Viewer},
		{"grants/add", `{"session":"none","target":{"type":"command","pattern":"ls"},"level":"execute"}`, Owner},
		{"grants/revoke", `{"session":"none","ids":["x"]}`, Owner},
		{"command/run", `{"session":"none","id":"c","command":"true"}`, Owner},
		{"workspace/find", `{"session":"none","query":"x"}`, Driver},
		{"workspace/read", `{"session":"none","path":"x"}`, Driver},
		{"approval/answer", `{"session":"none","approval":"a","allow":true,"remember":"session"}`, Reviewer},
		{"approval/answer", `{"session":"none","approval":"a","allow":true,"remember":"workspace"}`, Owner},
		{"session/close", `{"session":"none"}`, Viewer},
		{"session/close", `{"session":"none","end":true}`, Owner},
	} {
		for _, role := range roles {
			good := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.method, c.params)
			bad := strings.Replace(good, `"params":{`, `"params":{"colour":1,`, 1)
			answers := ask(t, role, bad, good)
			if len(answers) != 2 || !strings.Contains(answers[0], `"code":-32602`) {
				t.Fatalf("%s as %s: %s", c.method, role, answers)
			}
			want := `"kind":"no_session"`
			if slices.Index(roles, role) < slices.Index(roles, c.needs) {
				want = fmt.Sprintf(`"data":{"kind":"forbidden","role":%q}`, c.needs)
			}
			if !strings.Contains(answers[1], want) {
				t.Errorf("%s as %s: %s", c.method, role, answers[1])
			}
		}
	}
}
