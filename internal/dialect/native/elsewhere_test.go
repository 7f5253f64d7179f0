package native

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// deadHosts are one other host that has been killed, and no host has the folder of its session. Its key expires when the first
// connection to it fails.
type deadHosts struct{ expired atomic.Bool }

func (d *deadHosts) Self() Place     { return Place{Owner: "h-self.2", Name: "self", Live: true} }
func (d *deadHosts) Has(string) bool { return false }
func (d *deadHosts) Owner(context.Context, event.SessionID) (Place, error) {
	return Place{Owner: "h-other.1", Name: "other", Live: !d.expired.Load()}, nil
}
func (d *deadHosts) Find(context.Context, string, string) (Place, error) { return Place{}, nil }
func (d *deadHosts) Connect(context.Context, string, string) (Remote, error) {
	d.expired.Store(true)
	return nil, errors.New("it was killed")
}

// TestWorkspaceElsewhere: a session that was relayed to a host that dies, and whose folder no other host has, can be read and forked
// here. A prompt is refused as one of a session whose folder no host has. A client that chooses this host opens it.
func TestWorkspaceElsewhere(t *testing.T) {
	env := []string{"PARLEY_HOME=" + t.TempDir()}
	p, err := dialecttest.Open(env, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	parts := p.Config(scripted{dialecttest.NewModels(dialecttest.Getenv(env))}, nil)
	parts.Sharing = &engine.Sharing{Left: engine.WaitWhenLeft}
	host := engine.NewHost(parts)
	workspace := t.TempDir()
	for _, id := range []event.SessionID{"read", "chosen"} {
		eng, err := host.Create(t.Context(), engine.NewSession{ID: id, Workspace: workspace}, Options(nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(eng.Save(), eng.End(t.Context(), engine.EndedByClient)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, open string
		line       string // the request that changes something
		want       string
	}{
		{"prompt", `{"session":"read"}`, `"method":"turn/prompt","params":{"session":"read","id":"p","blocks":[{"kind":"text","text":"Go."}]}`,
			`"data":{"kind":"workspace_elsewhere","path":"` + workspace + `"}`},
		{"fork", `{"session":"read"}`, `"method":"session/fork","params":{"session":"read","workspace":"` + workspace + `"}`, `"result":{"session":`},
		{"chosen", `{"session":"chosen","placement":"here"}`, `"method":"session/change","params":{"session":"chosen","settings":{"name":"n"}}`, `"result":{`},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, server := newPipe()
			served := make(chan int, 1)
			go func() {
				served <- Serve(context.Background(), &Config{
					Host: host, Role: Owner, In: server, Out: server, Log: slog.New(slog.DiscardHandler), Cwd: t.TempDir(), Hosts: new(deadHosts),
					Profile: func(name string) (engine.Options, bool) { return Options(nil), name == DefaultProfile },
				})
				_ = server.Close()
			}()
			lines := bufio.NewReader(client)
			call := func(id, line string) string {
				t.Helper()
				if _, err := client.Write([]byte(`{"jsonrpc":"2.0","id":` + id + "," + line + "}\n")); err != nil {
					t.Fatal(err)
				}
				for {
					answer, err := lines.ReadString('\n')
					if err != nil {
						t.Fatal(err)
					}
					if strings.HasPrefix(answer, `{"jsonrpc":"2.0","id":`+id+",") {
						return answer
					}
				}
			}
			call("1", `"method":"initialize","params":{"protocol":1,"client":{"name":"t"}}`)
			if answer := call("2", `"method":"session/open","params":`+test.open); !strings.Contains(answer, `"result"`) {
				t.Errorf("session/open: %s", answer)
			}
			if answer := call("3", test.line); !strings.Contains(answer, test.want) {
				t.Errorf("want %s, got %s", test.want, answer)
			}
			_ = client.CloseWrite()
			if code := <-served; code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
	_ = host.Close(context.Background())
}
