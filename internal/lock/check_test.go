//go:build lockcheck

package lock

import (
	"strings"
	"sync"
	"testing"
)

// stopped is what a test panics with in the place of the end of the program.
type stopped string

// problem runs f and returns what was reported.
func problem(t *testing.T, f func()) (text string) {
	t.Helper()
	was := report
	report = func(problem string) { panic(stopped(problem)) }
	defer func() {
		report = was
		if p, ok := recover().(stopped); ok {
			text = string(p)
		}
	}()
	f()
	return ""
}

func TestLockedAgain(t *testing.T) {
	var m Mutex
	got := problem(t, func() {
		m.Lock()
		defer m.Unlock()
		m.Lock()
	})
	if !strings.Contains(got, "that it holds") || !strings.Contains(got, "TestLockedAgain") {
		t.Errorf("reported %q", got)
	}
}

func TestBothOrders(t *testing.T) {
	var a, b, c Mutex
	lock := func(all ...*Mutex) {
		for _, m := range all {
			m.Lock()
			defer m.Unlock()
		}
	}
	if got := problem(t, func() { lock(&a, &b); lock(&b, &c); lock(&a, &c); lock(&a, &b, &c) }); got != "" {
		t.Errorf("one order: reported %q", got)
	}
	if got := problem(t, func() { lock(&c, &a) }); !strings.Contains(got, "both orders") {
		t.Errorf("both orders, by way of a third: reported %q", got)
	}
}

// TestUnlockedElsewhere: a mutex may be unlocked by another goroutine, and be given to it by a
// condition.
func TestUnlockedElsewhere(t *testing.T) {
	var m Mutex
	got := problem(t, func() {
		m.Lock()
		var group sync.WaitGroup
		group.Go(m.Unlock)
		group.Wait()
		m.Lock()
		ready := false
		cond := sync.NewCond(&m)
		group.Go(func() {
			m.Lock()
			defer m.Unlock()
			ready = true
			cond.Signal()
		})
		for !ready {
			cond.Wait()
		}
		m.Unlock()
		group.Wait()
		if !m.TryLock() {
			t.Error("it is still locked")
		}
		m.Unlock()
	})
	if got != "" {
		t.Errorf("reported %q", got)
	}
	if len(graph.held) != 0 {
		t.Errorf("still held: %v", graph.held)
	}
}
