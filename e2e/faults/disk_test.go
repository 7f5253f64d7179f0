//go:build linux

package faults

import (
	"strings"

	"golang.org/x/sys/unix"

	"parley.dev/parley/e2e/stage"
)

// aPage is more bytes than FillSmall leaves room for in the journal.
const aPage = 8 << 10

var diskFaults = []fault{
	{group: "disk", name: "limited", does: fullDisk(disk{
		fill: func(r *run) { stage.LimitFiles(r, r.proc.Cmd.Process.Pid, 1) },
		free: func(r *run) { stage.LimitFiles(r, r.proc.Cmd.Process.Pid, unix.RLIM_INFINITY) },
	})},
	{group: "disk", name: "full", padding: aPage, prepare: func(r *run) { stage.MountSmall(r, r.place.State()) }, does: fullDisk(disk{
		fill: func(r *run) { stage.FillSmall(r, r.place.State()) },
		free: func(r *run) { stage.FreeSmall(r, r.place.State()) },
	})},
	{group: "disk", name: "full to the end", padding: aPage, prepare: func(r *run) { stage.MountSmall(r, r.place.State()) }, does: fullToTheEnd},
	{group: "disk", name: "fsync EIO", does: fullDisk(failingSync("EIO"))},
	{group: "disk", name: "fsync ENOSPC", does: fullDisk(failingSync("ENOSPC"))},
	{group: "disk", name: "read-only", prepare: func(r *run) { stage.MakeReadOnly(r, r.place.State()) }, does: readOnly},
}

// A disk is a way to run out of room for the state folder, and to have room again.
type disk struct{ fill, free func(*run) }

// failingSync has each fsync of the process fail.
func failingSync(errno string) disk {
	return disk{
		fill: func(r *run) {
			if r.syncs == nil {
				r.syncs = stage.FailSync(r, r.proc.Cmd.Process.Pid, errno)
			}
		},
		free: func(r *run) { r.syncs() },
	}
}

// fullDisk takes the room away: the turn ends, once, no prompt is accepted; and when there is
// room again everything is saved, and goes on.
func fullDisk(d disk) func(*run) {
	return func(r *run) {
		d.fill(r)
		if r.phase.turn {
			r.goOn()
			r.await(ended)
		} else if r.phase == &compacts {
			r.goOn()
			r.await(compacted)
		}
		d.fill(r) // the process itself may have given some back
		r.refusedNow()
		d.free(r)
		r.goesOn()
	}
}

// fullToTheEnd takes the room away for good: the turn ends, and the process with exit code 1, since something could not be saved.
func fullToTheEnd(r *run) {
	stage.FillSmall(r, r.place.State())
	r.goOn()
	r.await(ended)
	stage.FillSmall(r, r.place.State()) // the process itself may have given some back
	r.hangUp()
	if code := r.over(); code != 1 {
		r.Errorf("exit code %d", code)
	}
}

// refusedNow sends a prompt that is refused.
func (r *run) refusedNow() {
	r.Helper()
	n := len(r.tap.heard())
	r.send(r.client.prompt("There is no room for this." + strings.Repeat(" No room.", 1000)))
	r.tap.until("a refusal", func(signs []sign, _ bool) bool { return count(signs[n:], refused) > 0 })
	if s := r.tap.heard()[n:]; count(s, began) > 0 && r.face != &airFace {
		r.Errorf("a turn has begun: %v", s)
	}
}

// readOnly is a state folder without write permission: the process starts, accepts no prompt,
// and ends with exit code 0.
func readOnly(r *run) {
	if r.client.open(r) {
		for range 2 {
			r.refusedNow()
		}
	}
	r.hangUp()
	if code := r.over(); code != 0 {
		r.Errorf("exit code %d", code)
	}
	r.checkWire(true)
	r.checkRest()
}
