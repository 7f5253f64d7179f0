package native

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A heldStore is a store whose sessions another process has.
type heldStore struct{ journal.Store }

func (heldStore) Holder(event.SessionID) int { return 4711 }

// openParts returns what a host of a test consists of, with a state folder of its own.
func openParts(t *testing.T) engine.Config {
	t.Helper()
	env := []string{"PARLEY_HOME=" + t.TempDir()}
	p, err := dialecttest.Open(env, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p.Config(scripted{dialecttest.NewModels(dialecttest.Getenv(env))}, nil)
}

// TestListOwner: what a list has as the owner of a session: this host, another one, another process, or nothing.
func TestListOwner(t *testing.T) {
	parts := openParts(t)
	list := func(hosts Hosts, store journal.Store, requests ...string) string {
		t.Helper()
		parts := parts
		if store != nil {
			parts.Store = store
		}
		var in strings.Builder
		for id, request := range append(append([]string{`"initialize","params":{"protocol":1,"client":{"name":"t"}}`}, requests...), `"sessions/list","params":{}`) {
			fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":%s}`+"\n", id, request)
		}
		var out bytes.Buffer
		Serve(context.Background(), &Config{
			Host: engine.NewHost(parts), Role: Owner, In: strings.NewReader(in.String()), Out: &out, Log: slog.New(slog.DiscardHandler), Cwd: t.TempDir(),
			Hosts:   hosts,
			Profile: func(name string) (engine.Options, bool) { return Options(nil), name == DefaultProfile },
		})
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		last := lines[len(lines)-1]
		if !strings.Contains(last, `"sessions":[{"id":"s",`) {
			t.Fatalf("answered %s", out.String())
		}
		return last
	}
	created := list(nil, nil, fmt.Sprintf(`"session/create","params":{"workspace":%q,"id":"s"}`, t.TempDir()), `"session/save","params":{"session":"s"}`)
	if strings.Contains(created, `"owner"`) || !strings.Contains(created, `"open":true`) {
		t.Errorf("a session that is open here has another owner: %s", created)
	}
	if free := list(nil, nil); strings.Contains(free, `"owner"`) {
		t.Errorf("a session that nothing has: %s", free)
	}
	for name, c := range map[string]struct {
		hosts    Hosts
		store    journal.Store
		requests []string
		want     string
	}{
		"another process": {nil, heldStore{parts.Store}, nil, `"owner":{"pid":4711,"live":true}`},
		"another host":    {&otherHosts{}, nil, nil, `"owner":{"host":"h-other","name":"other","live":true}`},
		"this host":       {ownHosts{&otherHosts{}}, nil, []string{`"session/open","params":{"session":"s"}`}, `"owner":{"host":"h-self","name":"self","live":true}`},
	} {
		if got := list(c.hosts, c.store, c.requests...); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s has no %s", name, got, c.want)
		}
	}
}

// ownHosts are hosts of which this one has every session.
type ownHosts struct{ *otherHosts }

func (ownHosts) Owner(context.Context, event.SessionID) (Place, error) { return Place{}, nil }
