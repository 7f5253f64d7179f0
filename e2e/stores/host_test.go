package stores

import (
	"bufio"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream/natstest"
)

// TestHost starts a host twice: it has the same id in the store, which its ready line names.
func TestHost(t *testing.T) {
	t.Parallel()
	where := namespace(t, natstest.Start(t).URL)
	p := stage.NewHostPlace(t)
	_, name, _ := strings.Cut(strings.TrimPrefix(where, "nats://"), "/")
	var ids []string
	for range 2 {
		host := stage.Launch(t, p.Command(t, "serve", "--json", "--store", where))
		line, err := bufio.NewReader(host.Stdout).ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var ready struct {
			Host  string `json:"host"`
			Store struct {
				Kind      string `json:"kind"`
				Namespace string `json:"namespace"`
			} `json:"store"`
		}
		if err := json.Unmarshal(line, &ready); err != nil {
			t.Fatal(err)
		}
		if ready.Store.Kind != "nats" || ready.Store.Namespace != name {
			t.Errorf("%s; want the namespace %s", line, name)
		}
		ids = append(ids, ready.Host)
		_, stderr, code := run(t, p, "flint", "--host", "--store", where)
		if code != 2 || !strings.Contains(stderr, "--store: a host serves this client") {
			t.Errorf("flint --host --store: code %d: %s", code, stderr)
		}
		host.Signal(syscall.SIGTERM)
		if code := host.Code(); code != 0 {
			t.Errorf("the host ended with code %d", code)
		}
	}
	if ids[0] != ids[1] || len(ids[0]) != len("h-")+12 {
		t.Errorf("the ids of the host are %q", ids)
	}
}

// TestDoctor checks that the store is part of what doctor reports, and that it fails without it.
func TestDoctor(t *testing.T) {
	t.Parallel()
	where := namespace(t, natstest.Start(t).URL)
	p := stage.NewHostPlace(t)
	stdout, _, _ := run(t, p, "doctor", "--store", where)
	if !strings.Contains(stdout, "ok  store ") || !strings.Contains(stdout, "a record is stored in") {
		t.Errorf("doctor says:\n%s", stdout)
	}
	stdout, _, code := run(t, p, "doctor", "--store", "nats://127.0.0.1:1")
	if code != 1 || !strings.Contains(stdout, "store: unreachable") {
		t.Errorf("doctor without a server: code %d\n%s", code, stdout)
	}
}
