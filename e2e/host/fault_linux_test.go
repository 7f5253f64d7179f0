package host

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"parley.dev/parley/e2e/stage"
)

// A faulty host has a turn that runs a command, a native client that prompts and one that follows, and a ScaiFlux client over a relay.
type faulty struct {
	*testing.T
	place *stage.Place
	host  *server
	a, b  *client
	sf    *relayed
	seen  []record // by b
}

const (
	// waitingCommand ends when there is a file "go"; stubbornCommand when it is killed.
	waitingCommand  = "echo started; until [ -e go ]; do sleep 0.05; done"
	stubbornCommand = "trap '' TERM INT HUP; echo started; while :; do sleep 0.05; done"
)

// hostFaults are what happens to a host while a turn runs, and the result that is expected; docs/faults.md describes them.
var hostFaults = []struct {
	name, inDocs string // how docs/faults.md names it
	command      string
	prepare      func(f *faulty) // before the host starts; nil: nothing
	does         func(f *faulty)
}{
	{"limited", "`limited`", waitingCommand, nil, func(f *faulty) {
		pid := f.host.process.Cmd.Process.Pid
		f.withoutRoom(func() { stage.LimitFiles(f, pid, 1) }, func() { stage.LimitFiles(f, pid, unix.RLIM_INFINITY) })
	}},
	{"full", "`full`", waitingCommand, func(f *faulty) { stage.MountSmall(f, f.place.State()) }, func(f *faulty) {
		f.withoutRoom(func() { stage.FillSmall(f, f.place.State()) }, func() { stage.FreeSmall(f, f.place.State()) })
	}},
	{"INT", "| TERM, INT |", waitingCommand, nil, func(f *faulty) {
		f.host.process.Signal(syscall.SIGINT)
		f.a.notified("host/closing")
		f.goOn("completed")
		f.ends(0, 0)
	}},
	{"HUP", "| HUP |", waitingCommand, nil, func(f *faulty) {
		f.host.process.Signal(syscall.SIGHUP)
		f.goOn("completed")
		f.another("p-2")
	}},
	{"twice", "| a second TERM", stubbornCommand, nil, func(f *faulty) {
		f.host.process.Signal(syscall.SIGTERM)
		f.a.notified("host/closing")
		f.host.process.Signal(syscall.SIGTERM)
		f.ends(143, 1)
	}},
}

// TestHostFaults: after each fault the clients of a host are notified, as the fault allows, what was acknowledged is in the journal, and
// no process is left.
func TestHostFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range hostFaults {
		t.Run(fault.name, func(t *testing.T) {
			f := &faulty{T: t, place: place(t, `call shell {"command":"`+fault.command+`"}`+"\nnext\ntext "+strings.Repeat("Done. ", 2000)+"\nnext\ntext Again.\n")}
			mark := stage.NewMark(f.place)
			if fault.prepare != nil {
				fault.prepare(f)
			}
			f.host = serve(t, f.place)
			f.a, f.b = f.host.client("a"), f.host.client("b")
			f.a.must("session/create", map[string]any{"workspace": f.place.Work, "id": "s-1", "settings": map[string]any{"mode": free}}, nil)
			f.b.follow("s-1", 1)
			f.sf = relay(t, f.place, "scaiflux", "serve", "--resume", "s-1")
			f.sf.until(`"ready"`)
			f.a.prompt("s-1", "p-1", "Go.")
			f.until("tool_started")
			f.sf.until(`"tool_start"`)
			fault.does(f)
			_ = f.host.process.Cmd.Process.Kill() // it may have ended
			<-f.host.process.Ended
			f.restored()
			mark.WantEnded(t, nil)
		})
	}
}

// TestHostFaultsInDocs: docs/faults.md has every fault of a host.
func TestHostFaultsInDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range hostFaults {
		if !strings.Contains(string(text), fault.inDocs) {
			t.Errorf("docs/faults.md has no fault %s of a host: %q", fault.name, fault.inDocs)
		}
	}
}

// until reads records of the client that follows, up to one of a kind, and returns it.
func (f *faulty) until(kind string) record {
	f.Helper()
	all := f.b.until(kind)
	for _, rec := range all {
		if rec.Seq != 0 { // what cannot be saved has none
			f.seen = append(f.seen, rec)
		}
	}
	return all[len(all)-1]
}

// goOn lets the command end, and waits for the end of the turn.
func (f *faulty) goOn(reason string) {
	f.Helper()
	f.place.Write(f, "go", "")
	if ended := f.until("turn_ended"); !strings.Contains(string(ended.Data), `"reason":"`+reason+`"`) {
		f.Errorf("the turn ended with %s", ended.Data)
	}
	f.sf.until(`"turn_complete"`)
}

// another has one more turn.
func (f *faulty) another(id string) {
	f.Helper()
	f.a.prompt("s-1", id, "Again.")
	for !strings.Contains(string(f.until("turn_ended").Data), `"reason":"completed"`) { // of the turn before, which could not be saved
	}
	f.sf.until(`"turn_complete"`)
}

// withoutRoom fills the disk while the turn runs, and makes room again after its end. Meanwhile prompts are refused, to all clients.
func (f *faulty) withoutRoom(fill, free func()) {
	f.Helper()
	fill()
	f.place.Write(f, "go", "")
	f.sf.until(`"turn_complete"`)
	fill() // what the host itself has given back
	refused := f.a.call("turn/prompt", map[string]any{"session": "s-1", "id": "p-2", "blocks": words("x")})
	if refused.Error == nil || refused.Error.Code != -32009 || string(refused.Error.Data) != `{"kind":"unsaved"}` {
		f.Errorf("a prompt without room: %+v", refused.Error)
	}
	f.sf.send(`{"type":"prompt","text":"y"}`)
	f.sf.until(`"code":"session_write_failed"`)
	free()
	f.another("p-3")
}

// ends waits for the end of the host and of the relay.
func (f *faulty) ends(host, relay int) {
	f.Helper()
	if code := f.host.process.Code(); code != host {
		f.Errorf("the host ends with %d, want %d", code, host)
	}
	if code := f.sf.process.Code(); code != relay {
		f.Errorf("the relay ends with %d, want %d", code, relay)
	}
}

// restored starts the host again: it has every record that the client has seen, without gaps, and all turns have ended.
func (f *faulty) restored() {
	f.Helper()
	f.host = serve(f, f.place)
	c := f.host.client("c")
	var now state
	c.must("session/open", map[string]any{"session": "s-1"}, nil)
	c.must("session/state", map[string]any{"session": "s-1"}, &now)
	var page struct {
		Records []record `json:"records"`
	}
	c.must("session/records", map[string]any{"session": "s-1", "from": 1, "limit": 1000}, &page)
	for i, rec := range page.Records {
		if rec.Seq != i+1 {
			f.Fatalf("record %d comes where %d should", rec.Seq, i+1)
		}
		if i < len(f.seen) && (rec.Kind != f.seen[i].Kind || string(rec.Data) != string(f.seen[i].Data)) {
			f.Errorf("record %d is %s, the client has seen %s", rec.Seq, rec.Data, f.seen[i].Data)
		}
	}
	if len(page.Records) < len(f.seen) || now.Busy {
		f.Errorf("%d records, the client has seen %d; busy: %t", len(page.Records), len(f.seen), now.Busy)
	}
	f.host.process.Signal(syscall.SIGTERM)
	f.host.process.Code()
}
