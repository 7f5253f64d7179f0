package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"parley.dev/parley/internal/engine"
)

// TestViewedIsNotOpen: a stored session that a viewer reads is not open for others: lists do not have it as open, and resume_only
// does not open it.
func TestViewedIsNotOpen(t *testing.T) {
	parts := openParts(t)
	parts.Sharing = &engine.Sharing{Left: engine.WaitWhenLeft}
	host := engine.NewHost(parts)
	eng, err := host.Create(t.Context(), engine.NewSession{ID: "s", Workspace: t.TempDir()}, Options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(eng.Save(), eng.End(t.Context(), engine.EndedByClient)); err != nil {
		t.Fatal(err)
	}
	view, err := host.View(t.Context(), "s", Options(nil))
	if err != nil {
		t.Fatal(err)
	}
	call := func(hosts Hosts, request string) string {
		t.Helper()
		var in strings.Builder
		for id, line := range []string{`"initialize","params":{"protocol":1,"client":{"name":"t"}}`, request} {
			fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":%s}`+"\n", id, line)
		}
		var out bytes.Buffer
		Serve(context.Background(), &Config{
			Host: host, Role: Owner, In: strings.NewReader(in.String()), Out: &out, Log: slog.New(slog.DiscardHandler), Cwd: t.TempDir(), Hosts: hosts,
			Profile: func(name string) (engine.Options, bool) { return Options(nil), name == DefaultProfile },
		})
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		return lines[len(lines)-1]
	}
	if list := call(nil, `"sessions/list","params":{}`); !strings.Contains(list, `"open":false`) {
		t.Errorf("sessions/list: %s", list)
	}
	for _, hosts := range []Hosts{nil, ownHosts{&otherHosts{}}} {
		if answer := call(hosts, `"session/open","params":{"session":"s","resume_only":true}`); !strings.Contains(answer, `"code":-32006`) {
			t.Errorf("resume_only: %s", answer)
		}
	}
	if !view.Viewed() {
		t.Error("the session was opened")
	}
	s, err := host.Open(t.Context(), "s", Options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if list := call(nil, `"sessions/list","params":{}`); !strings.Contains(list, `"open":true`) {
		t.Errorf("sessions/list: %s", list)
	}
	if err := errors.Join(view.Close(t.Context()), s.End(t.Context(), engine.EndedByClient)); err != nil {
		t.Error(err)
	}
	_ = host.Close(context.Background())
}
