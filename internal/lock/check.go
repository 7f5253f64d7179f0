//go:build lockcheck

package lock

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// A Mutex is a sync.Mutex that records which goroutine holds it. The zero value is unlocked.
type Mutex struct {
	mu sync.Mutex
	id int // 0: never locked; guarded by graph.mu
}

// An acquisition is a mutex that a goroutine holds, and the stack of the call that locked it.
type acquisition struct {
	mutex *Mutex
	stack []uintptr
}

// An edge records that a mutex was locked while another was held.
type edge struct {
	held, locked []uintptr // the stacks of both calls of Lock
}

// graph records the lock order of all mutexes.
var graph = struct {
	mu    sync.Mutex
	last  int                   // the id that was assigned last
	held  map[int][]acquisition // by goroutine
	edges map[int]map[int]edge  // by id of the mutex held, and of the one locked while it was held
}{held: map[int][]acquisition{}, edges: map[int]map[int]edge{}}

// report ends the program. Tests of this package replace it.
var report = func(problem string) {
	fmt.Fprintln(os.Stderr, "lockcheck: "+problem)
	os.Exit(2)
}

// Lock locks m. It ends the program if the calling goroutine holds m, or locks it in an order that
// is the reverse of one seen before.
func (m *Mutex) Lock() {
	at, by := callers(), goroutine()
	checkOrder(m, by, at)
	m.mu.Lock()
	recordAcquisition(m, by, at)
}

// TryLock locks m if it is not locked, and reports whether it did.
func (m *Mutex) TryLock() bool {
	if !m.mu.TryLock() {
		return false
	}
	recordAcquisition(m, goroutine(), callers())
	return true
}

// Unlock unlocks m, which any goroutine may do.
func (m *Mutex) Unlock() {
	recordRelease(m, goroutine())
	m.mu.Unlock()
}

// checkOrder records that m is about to be locked, and reports a possible deadlock.
func checkOrder(m *Mutex, by int, at []uintptr) {
	graph.mu.Lock()
	problem := ""
	if m.id == 0 {
		graph.last++
		m.id = graph.last
	}
	for _, a := range graph.held[by] {
		if a.mutex == m {
			problem = "a goroutine locks a mutex that it holds\nheld since\n" + frames(a.stack) + "locked again\n" + frames(at)
			break
		}
		if _, known := graph.edges[a.mutex.id][m.id]; known {
			continue
		}
		if back, found := path(m.id, a.mutex.id, map[int]bool{}); found {
			problem = "two mutexes are locked in both orders\nheld\n" + frames(a.stack) + "while locked\n" + frames(at) +
				"elsewhere held\n" + frames(back.held) + "while locked\n" + frames(back.locked)
			break
		}
		if graph.edges[a.mutex.id] == nil {
			graph.edges[a.mutex.id] = map[int]edge{}
		}
		graph.edges[a.mutex.id][m.id] = edge{a.stack, at}
	}
	graph.mu.Unlock()
	if problem != "" {
		report(problem)
	}
}

// path reports whether a chain of locks leads from one mutex to another, and its first link.
func path(from, to int, seen map[int]bool) (first edge, found bool) {
	seen[from] = true
	for next, e := range graph.edges[from] {
		if next == to {
			return e, true
		}
		if !seen[next] {
			if _, found := path(next, to, seen); found {
				return e, true
			}
		}
	}
	return edge{}, false
}

func recordAcquisition(m *Mutex, by int, at []uintptr) {
	graph.mu.Lock()
	defer graph.mu.Unlock()
	if m.id == 0 {
		graph.last++
		m.id = graph.last
	}
	graph.held[by] = append(graph.held[by], acquisition{m, at})
}

// recordRelease removes m from the mutexes of the goroutine that unlocks it, or else of the one
// that locked it.
func recordRelease(m *Mutex, by int) {
	graph.mu.Lock()
	defer graph.mu.Unlock()
	if removeAcquisition(m, by) {
		return
	}
	for other := range graph.held {
		if removeAcquisition(m, other) {
			return
		}
	}
}

func removeAcquisition(m *Mutex, by int) bool {
	all := graph.held[by]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].mutex != m {
			continue
		}
		if graph.held[by] = append(all[:i], all[i+1:]...); len(all) == 1 {
			delete(graph.held, by)
		}
		return true
	}
	return false
}

// goroutine returns the number of the calling goroutine, which only runtime.Stack reveals.
func goroutine() int {
	var buf [64]byte
	text := buf[:runtime.Stack(buf[:], false)]
	number, _, _ := bytes.Cut(bytes.TrimPrefix(text, []byte("goroutine ")), []byte(" "))
	n, err := strconv.Atoi(string(number))
	if err != nil {
		panic("lockcheck: no number of a goroutine in " + string(text))
	}
	return n
}

func callers() []uintptr {
	pcs := make([]uintptr, 16)
	return pcs[:runtime.Callers(3, pcs)] // above Lock
}

func frames(pcs []uintptr) string {
	var b strings.Builder
	all := runtime.CallersFrames(pcs)
	for {
		f, more := all.Next()
		fmt.Fprintf(&b, "  %s\n    %s:%d\n", f.Function, f.File, f.Line)
		if !more {
			return b.String()
		}
	}
}
