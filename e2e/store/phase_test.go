//go:build linux

package store

import (
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream/natstest"
)

// A phase is an operation of a session's life. reach makes the victim of a run begin it, and stops the message
// with which it changes the session on its way to the server.
type phase struct {
	name string
	kind string // of the frame on its way; "": the victim has the lease, and nothing is on its way
	// beside reports that another writer had the session before the victim.
	beside bool
	begin  func(r *run) // sends the command
}

var phases = []phase{
	{name: "create", kind: "create", begin: func(r *run) {
		r.op = r.victim.send(command{Do: opCreate, Session: r.session})
	}},
	{name: "append", kind: "append", begin: func(r *run) {
		r.prepare(r.victim)
		r.victim.send(command{Do: opAppend, Session: r.session, Count: 1, Size: 300})
		r.op = r.victim.send(command{Do: opSync, Session: r.session})
	}},
	{name: "sync", kind: "append", begin: func(r *run) {
		r.prepare(r.victim)
		r.victim.send(command{Do: opAppend, Session: r.session, Count: 60, Size: 40_000}) // a large frame waits
		r.op = r.victim.send(command{Do: opSync, Session: r.session})
	}},
	{name: "idle", begin: func(r *run) { r.prepare(r.victim) }},
	{name: "release", kind: "release", begin: func(r *run) {
		r.prepare(r.victim)
		r.op = r.victim.send(command{Do: opRelease, Session: r.session})
	}},
	{name: "takeover", kind: "claim", beside: true, begin: func(r *run) {
		r.prepare(r.former)
		r.former.must(command{Do: opClose, Session: r.session})
		r.op = r.victim.send(command{Do: opLease, Session: r.session})
	}},
	{name: "remove", kind: "remove", beside: true, begin: func(r *run) {
		r.prepare(r.former)
		r.former.must(command{Do: opClose, Session: r.session})
		r.op = r.victim.send(command{Do: opRemove, Session: r.session})
	}},
}

// reach brings a run to its phase.
func (r *run) reach() {
	r.t.Helper()
	if r.phase.kind == "" {
		r.phase.begin(r)
		return
	}
	seen := r.victim.link.StallAt(natstest.Up, "Parley-Kind: "+r.phase.kind)
	if r.phase.kind == "append" { // the appends that prepare the session pass
		r.victim.link.Resume()
		r.prepared = func() { seen = r.victim.link.StallAt(natstest.Up, "Parley-Kind: append") }
	}
	r.phase.begin(r)
	stage.Await(r.t, seen, "the frame "+r.phase.kind+" of "+r.victim.name)
}

// prepare creates the session with some records.
func (r *run) prepare(w *writer) {
	w.must(command{Do: opCreate, Session: r.session})
	w.write(r.session, 3)
	if r.prepared != nil {
		r.prepared()
	}
}
