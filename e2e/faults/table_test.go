//go:build linux

package faults

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// A fault is what happens to a process, and the result that is expected.
type fault struct {
	group, name string
	does        func(r *run) // in the phase; up to the end of the cell
	prepare     func(r *run) // before the process starts; nil: nothing
	// answers is what the model answers in place of what the phase has; nil: that.
	answers func(r *run) []modeltest.Reply
	command string // what the tool runs in place of what the phase has
	deltas  int    // how many pieces the turn says in the end; 0: one
	padding int    // bytes that each piece is longer
}

var faults = slices.Concat(processFaults, diskFaults, modelFaults, toolFaults, twoFaults, agentFaults)

// A cell is a dialect in a phase that meets a fault.
type cell struct {
	face  *face
	phase *phase
	fault *fault
}

func (c cell) String() string {
	return c.face.name + "/" + c.phase.name + "/" + c.fault.group + "/" + c.fault.name
}

// A never is cells that there are not, and why. Lists are of names; none means all.
type never struct {
	faces, phases, groups, faults []string
	why                           string
}

func (n never) covers(c cell) bool {
	in := func(list []string, name string) bool { return list == nil || slices.Contains(list, name) }
	return in(n.faces, c.face.name) && in(n.phases, c.phase.name) && in(n.groups, c.fault.group) && in(n.faults, c.fault.name)
}

var nevers = []never{
	{faces: facesWith(false), groups: []string{"agent"}, why: "no other agent runs the turns"},
	{faces: facesWith(true), groups: []string{"model"}, why: "the model is the agent's own"},
	{faces: facesWith(true), groups: []string{"tool"}, why: "the agent runs its commands itself"},
	{faces: facesWith(true), phases: []string{"input", "between", "compacting", "full"}, why: "what an agent does before it speaks does not show"},
	{faces: facesWith(true), faults: []string{"twice"}, why: "the agent ends its commands, not the first signal"},
	{groups: []string{"agent"}, phases: []string{"unspoken"}, why: "the agent starts with the first prompt"},
	{faults: []string{"floods"}, groups: []string{"agent"}, phases: []string{"idle", "ended"}, why: "no turn runs"},
	{faces: []string{"pisces", "loaf"}, phases: []string{"asked"}, why: "no approvals are requested in this dialect"},
	{faces: []string{"flint"}, phases: []string{"compacting"}, why: "there is no compaction on request in this dialect"},
	{phases: []string{"unspoken"}, faults: []string{"interrupted"}, why: "there is nothing to interrupt before the first word"},
	{faces: []string{"scaiflux", "flint", "codex", "agentair"}, phases: []string{"input"}, faults: []string{"stalled"}, why: "a client that does not read cannot approve the call"},
	{phases: []string{"unspoken"}, faults: []string{"stalled"}, why: "nothing that is said so early fills a pipe"},
	{phases: phasesBut("silent", "tool"), faults: []string{"unread EOF", "unread TERM", "unread INT"}, why: "what is not read is the same whatever runs"},
	{phases: []string{"unspoken"}, faults: []string{"twice"}, why: "the first signal ends a process that does nothing"},
	{phases: []string{"idle", "silent", "text", "input", "asked", "between", "ended", "compacting", "full"}, faults: []string{"twice"}, why: "the first signal ends everything at once but a command that does not want to"},
	{groups: []string{"tool"}, phases: phasesBut("tool"), why: "no tool runs"},
	{groups: []string{"two"}, phases: []string{"unspoken", "compacting"}, why: "no process writes to a session"},
	{groups: []string{"disk"}, faults: []string{"read-only"}, phases: phasesBut("unspoken"), why: "a folder that files are written in does not become read-only"},
	{groups: []string{"disk"}, faults: []string{"full to the end"}, phases: phasesBut("text"), why: "the code does not depend on what cannot be saved"},
	{faces: facesWith(true), groups: []string{"disk"}, faults: []string{"full to the end"}, why: "the code does not depend on what runs the turn"},
	{groups: []string{"disk"}, faults: []string{"limited", "full", "fsync EIO", "fsync ENOSPC"}, phases: []string{"unspoken"}, why: "nothing is to be written yet"},
	{faces: []string{"scaiflux", "scaiflux+acp"}, phases: []string{"idle", "ended"}, faults: []string{"fsync EIO", "fsync ENOSPC"}, why: "its error of the failure and its refusal of a prompt look the same"},
	{faces: []string{"pisces"}, phases: []string{"full"}, why: "it sums up after the turn that filled the context, and takes no prompt meanwhile"},
	{groups: []string{"model"}, phases: []string{"full"}, why: "the model that sums up fails in the phase compacting"},
	{groups: []string{"model"}, faults: []string{"refused"}, phases: phasesBut("idle", "tool"), why: "what is connected is not refused"},
	{groups: []string{"model"}, faults: []string{"429", "500", "529", "503 for an hour", "503 for ever"}, phases: phasesBut("silent", "between", "compacting"), why: "an answer that has begun has its status"},
	{groups: []string{"model"}, faults: []string{"reset", "malformed", "unended"}, phases: phasesBut("silent", "text", "input", "between", "compacting"), why: "the model says nothing"},
	{groups: []string{"model"}, faults: []string{"half a rune", "split rune"}, phases: phasesBut("text"), why: "runes are halved in text"},
}

// facesWith returns the names of the dialects whose turns another agent runs, or of the others.
func facesWith(agent bool) (names []string) {
	for _, f := range faces {
		if f.agent == agent {
			names = append(names, f.name)
		}
	}
	return names
}

// phasesBut returns the names of the others.
func phasesBut(names ...string) (others []string) {
	for _, p := range phases {
		if !slices.Contains(names, p.name) {
			others = append(others, p.name)
		}
	}
	return others
}

// cells returns all cells that there are, and how many there are not, by reason.
func cells() (all []cell, without map[string]int) {
	without = map[string]int{}
	for _, f := range faces {
		for _, p := range phases {
		next:
			for i := range faults {
				c := cell{f, p, &faults[i]}
				for _, n := range nevers {
					if n.covers(c) {
						without[n.why]++
						continue next
					}
				}
				all = append(all, c)
			}
		}
	}
	return all, without
}

// pairs returns so few cells that any two of a dialect, a phase and a fault that meet in a cell of all meet in one of them.
func pairs(all []cell) []cell {
	return covering(all, func(c cell) [][2]any { return [][2]any{{c.face, c.phase}, {c.face, c.fault}, {c.phase, c.fault}} })
}

// sample returns so few cells that each dialect is in each of its phases, and each fault occurs.
func sample(all []cell) []cell {
	return covering(all, func(c cell) [][2]any { return [][2]any{{c.face, c.phase}, {c.fault}} })
}

// covering returns so few cells that what any cell covers is covered.
func covering(all []cell, covers func(cell) [][2]any) (few []cell) {
	covered := map[[2]any]bool{}
	for wanted := len(covers(all[0])); wanted > 0; wanted-- { // first the cells in which everything is new
		for _, c := range all {
			of := slices.DeleteFunc(covers(c), func(part [2]any) bool { return covered[part] })
			if len(of) < wanted {
				continue
			}
			few = append(few, c)
			for _, part := range of {
				covered[part] = true
			}
		}
	}
	return few
}

func TestSample(t *testing.T) {
	all, _ := cells()
	few := sample(all)
	if len(few) > len(pairs(all))/2 {
		t.Errorf("%d of %d cells", len(few), len(all))
	}
	for _, c := range all {
		if !slices.ContainsFunc(few, func(d cell) bool { return d.face == c.face && d.phase == c.phase }) {
			t.Errorf("dialect and phase of %s are in no cell", c)
		}
		if !slices.ContainsFunc(few, func(d cell) bool { return d.fault == c.fault }) {
			t.Errorf("the fault of %s is in no cell", c)
		}
	}
}

func TestPairs(t *testing.T) {
	all, _ := cells()
	few := pairs(all)
	if len(few) > len(all)/2 {
		t.Errorf("%d of %d cells", len(few), len(all))
	}
	for _, c := range all {
		for what, meets := range map[string]func(cell) bool{
			"dialect and phase": func(d cell) bool { return d.face == c.face && d.phase == c.phase },
			"dialect and fault": func(d cell) bool { return d.face == c.face && d.fault == c.fault },
			"phase and fault":   func(d cell) bool { return d.phase == c.phase && d.fault == c.fault },
		} {
			if !slices.ContainsFunc(few, meets) {
				t.Errorf("%s of %s are in no cell", what, c)
			}
		}
	}
}

// chosen returns the cells to play: every one, or with -short a sample, unless -run names cells; every pair if PARLEY_FAULTS is pairs.
func chosen(all []cell) []cell {
	switch which := os.Getenv("PARLEY_FAULTS"); {
	case strings.Contains(flag.Lookup("test.run").Value.String(), "/"):
		return all
	case which == "pairs":
		return pairs(all)
	case which == "" && testing.Short():
		return sample(all)
	default:
		return all
	}
}

// TestMatrix plays the cells.
func TestMatrix(t *testing.T) {
	all, without := cells()
	var ran, skipped atomic.Int64
	t.Run("cells", func(t *testing.T) {
		for _, c := range chosen(all) {
			t.Run(c.String(), func(t *testing.T) {
				t.Parallel()
				defer func() {
					if t.Skipped() {
						skipped.Add(1)
					} else {
						ran.Add(1)
					}
				}()
				r := newRun(t, c)
				if c.fault.prepare != nil {
					c.fault.prepare(r)
				}
				r.launch(c.face, c.face.args)
				c.phase.reach(r)
				c.fault.does(r)
			})
		}
	})
	report(t, len(all), int(ran.Load()), int(skipped.Load()), without)
}

func report(t *testing.T, all, ran, skipped int, without map[string]int) {
	var b strings.Builder
	fmt.Fprintf(&b, "fault matrix: %d of %d cells run, %d skipped", ran, all, skipped)
	for _, n := range nevers {
		if count := without[n.why]; count > 0 {
			fmt.Fprintf(&b, "\n  not there: %d, %s", count, n.why)
			delete(without, n.why)
		}
	}
	t.Log(b.String())
	if os.Getenv("PARLEY_FAULTS") == "all" { // also without -v
		fmt.Fprintln(os.Stderr, b.String())
	}
}
