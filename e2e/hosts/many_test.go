package hosts

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
)

// TestNineClients: three clients on each of three hosts follow one session, while the host that has it is killed, and then the one
// that took it over: all see the same records, each once and in order.
func TestNineClients(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	for n := range 200 {
		fmt.Fprintf(&script, "call shell {\"command\":\"sleep 0.1; echo %d\"}\nnext\n", n)
	}
	f := newFleet(t, script.String()+"text Done.\n")
	first := f.start("h0")
	creator := first.client("creator")
	creator.create("s", f.place.Work, "danger-full-access")
	creator.must("session/save", map[string]any{"session": "s"}, nil)
	hosts := []*host{first, f.start("h1"), f.start("h2")}
	clients := map[*host][]*client{}
	for _, h := range hosts {
		for n := range 3 {
			c := h.client(fmt.Sprint(h.name, "-", n))
			c.follow("s", 1)
			clients[h] = append(clients[h], c)
		}
	}
	live := hosts
	for round := range 2 {
		prompt := clients[live[len(live)-1]][0]
		prompt.prompt("s", fmt.Sprint("p-", round), "Go.")
		for _, h := range live {
			for _, c := range clients[h] {
				c.until("turn_started", round+1)
			}
		}
		owner := ownerOf(t, f, live)
		owner.process.Kill()
		var rest []*host
		for _, h := range live {
			if h != owner {
				rest = append(rest, h)
			}
		}
		live = rest
		for _, h := range live {
			for _, c := range clients[h] {
				c.until("turn_ended", round+1)
			}
		}
	}
	last := clients[live[0]]
	head := last[0].until("turn_ended", 2).Seq
	for _, c := range last {
		all := c.checkRecords(1)
		for i, r := range all[:head] {
			if string(r.Data) != string(last[0].records[i].Data) {
				t.Errorf("%s: record %d is %s, and %s at %s", c.name, r.Seq, r.Data, last[0].records[i].Data, last[0].name)
			}
		}
	}
}

// ownerOf returns the host that runs the session: the one at which it is opened without another host.
func ownerOf(t *testing.T, f *fleet, live []*host) *host {
	t.Helper()
	for _, h := range live {
		if h.client("probe").open("s").Via == nil {
			return h
		}
	}
	t.Fatal("no host has the session")
	return nil
}

// TestHostsCommand lists hosts: those that live, and one that was killed.
func TestHostsCommand(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "text x\n")
	a, b := f.start("a", "--label", "os=linux", "--shared-root", "/srv/shared"), f.start("b")
	list := func() string {
		t.Helper()
		out, err := f.place.Command(t, "hosts", "--json", "--store", f.url).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	text := list()
	for _, part := range []string{`"host":"` + a.ready.Host + `"`, `"host":"` + b.ready.Host + `"`, `"labels":{"os":"linux"}`, `"shared_roots":["/srv/shared"]`, `"live":true`} {
		if !strings.Contains(text, part) {
			t.Errorf("the list has no %s: %s", part, text)
		}
	}
	worker := f.place.Command(t, "worker", "--slots", "3", "--label", "gpu=1", "--json", "--store", f.url)
	worker.Env = append(worker.Env, "PARLEY_TEST_HOST_TTL="+f.ttl.String())
	running := stage.Launch(t, worker)
	if ready := bufio.NewScanner(running.Stdout); !ready.Scan() {
		t.Fatalf("the worker is not ready: %s", running.Stderr)
	}
	for _, args := range [][]string{
		{"sessions", "list"}, {"batch", "list"}, {"hosts"}, {"store", "info"}, {"run", "--model", "offline/demo", "list files"}, {"sessions", "rm", "--older", "1d"},
	} {
		cmd := f.place.Command(t, append(args, "--store", f.url)...)
		cmd.Env = append(cmd.Env, "PARLEY_TEST_HOST_TTL="+f.ttl.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("parley %q: %v\n%s", args, err, out)
		}
	}
	for end := time.Now().Add(f.ttl + 2*time.Second); time.Now().Before(end); { // also when what they have left has expired
		text = list()
		if strings.Count(text, "\n") != 3 || strings.Count(text, `"live":true`) != 3 || strings.Contains(text, `"version":""`) || !strings.Contains(text, `"slots":3`) || !strings.Contains(text, `"gpu":"1"`) {
			t.Fatalf("two hosts, a worker, and commands that have ended:\n%s", text)
		}
	}
	process := stage.Launch(t, f.place.Command(t, "hosts", "drain", "h-none", "--store", f.url))
	if code := process.Code(); code != 1 || !strings.Contains(process.Stderr.String(), "no such host") {
		t.Errorf("hosts drain of an unknown host: %d, %s", code, process.Stderr)
	}
	b.process.Signal(15)
	process = stage.Launch(t, f.place.Command(t, "hosts"))
	if code := process.Code(); code != 1 || !strings.Contains(process.Stderr.String(), "not shared") {
		t.Errorf("hosts of a file store: %d, %s", code, process.Stderr)
	}
	<-b.process.Ended
	if text := list(); !strings.Contains(text, `"live":false`) {
		t.Errorf("a host that has ended: %s", text)
	}
}

// TestCopiedHost starts a host with the id of another one, as from a copy of its state folder: the first one ends.
func TestCopiedHost(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "text x\n")
	first := f.start("first")
	folder := func(name string) string { return filepath.Join(f.place.Root, "home", name) }
	id, err := os.ReadFile(filepath.Join(folder("first"), "host-id"))
	if err == nil {
		err = os.MkdirAll(folder("copy"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder("copy"), "host-id"), id, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	second := f.start("copy")
	if second.ready.Host != first.ready.Host {
		t.Errorf("the hosts are %s and %s", first.ready.Host, second.ready.Host)
	}
	if code := first.process.Code(); code != 1 || !strings.Contains(first.process.Stderr.String(), "another host uses the id") {
		t.Errorf("the first host: %d, %s", code, first.process.Stderr)
	}
}
