package native

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
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

// lockedStore is a store whose sessions another host has.
type lockedStore struct{ journal.Store }

func (s lockedStore) Resume(_ context.Context, id event.SessionID, _ func(event.Record) error) (journal.Journal, error) {
	return nil, &journal.LockedError{ID: id, Owner: "h-other.1", Host: "other", Busy: true}
}

// sharingConfig returns the configuration of a host whose sessions are shared.
func sharingConfig(t *testing.T) engine.Config {
	t.Helper()
	env := []string{"PARLEY_HOME=" + t.TempDir()}
	p, err := dialecttest.Open(env, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	parts := p.Config(scripted{dialecttest.NewModels(dialecttest.Getenv(env))}, nil)
	parts.Sharing = &engine.Sharing{Left: engine.WaitWhenLeft}
	return parts
}

// TestLockedElsewhere: a session that another host has is relayed, although this one could read it.
func TestLockedElsewhere(t *testing.T) {
	parts := sharingConfig(t)
	other := engine.NewHost(parts)
	parts.Store = lockedStore{parts.Store}
	config := func(host *engine.Host, in io.Reader, out io.Writer) *Config {
		return &Config{
			Host: host, Role: Owner, In: in, Out: out, Log: slog.New(slog.DiscardHandler), Cwd: t.TempDir(),
			Profile: func(name string) (engine.Options, bool) { return Options(nil), name == DefaultProfile },
		}
	}
	eng, err := other.Create(t.Context(), engine.NewSession{ID: "s", Workspace: t.TempDir()}, Options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := eng.Save(); err != nil {
		t.Fatal(err)
	}
	others := new(otherHosts)
	others.serve = func(in io.Reader, out io.Writer) { Serve(context.Background(), config(other, in, out)) }
	client, server := newPipe()
	served := make(chan int, 1)
	host := engine.NewHost(parts)
	go func() {
		cfg := config(host, server, server)
		cfg.Hosts = others
		served <- Serve(context.Background(), cfg)
		_ = server.Close()
	}()
	go fmt.Fprint(client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"t"}}}
{"jsonrpc":"2.0","id":2,"method":"session/open","params":{"session":"s"}}
`)
	lines := bufio.NewReader(client)
	for answer := ""; !strings.HasPrefix(answer, `{"jsonrpc":"2.0","id":2,`); {
		if answer, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(answer, `"id":2,`) && !strings.Contains(answer, `"via":{"host":"h-other","name":"other"}`) {
			t.Errorf("opened: %s", answer)
		}
	}
	_ = client.CloseWrite()
	if code := <-served; code != 0 {
		t.Errorf("exit code %d", code)
	}
	others.served.Wait()
	_ = host.Close(context.Background())
	_ = other.Close(context.Background())
}

// TestWorkspaceElsewhere: a session that was relayed to a host that dies, and whose folder no other host has, can be read and forked
// here. A prompt is refused as one of a session whose folder no host has. A client that chooses this host opens it.
func TestWorkspaceElsewhere(t *testing.T) {
	parts := sharingConfig(t)
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
		{
			"prompt", `{"session":"read"}`, `"method":"turn/prompt","params":{"session":"read","id":"p","blocks":[{"kind":"text","text":"Go."}]}`,
			`"data":{"kind":"workspace_elsewhere","path":"` + workspace + `"}`,
		},
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
