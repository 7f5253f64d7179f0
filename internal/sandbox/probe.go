package sandbox

import "context"

// A Mechanism is one way to confine commands, as this machine supports it.
type Mechanism struct {
	Name      string
	Available bool
	Detail    string // what was found, or why it is not available
	Fix       string // what the user can do about it; "" if Available
}

// A Report lists every Mechanism that was probed.
type Report []Mechanism

// Probe detects which mechanisms this machine supports, once per process, in some milliseconds.
// The Confinement of a Spawner reports which of them are used. When ctx ends, Probe returns those
// that it has found by then.
func Probe(ctx context.Context) Report {
	found := make(chan Mechanism)
	go func() { // ends after the last probe, or when ctx has ended
		defer close(found)
		for _, probe := range mechanisms {
			select {
			case found <- probe():
			case <-ctx.Done():
				return
			}
		}
	}()
	var r Report
	for {
		select {
		case m, more := <-found:
			if !more {
				return r
			}
			r = append(r, m)
		case <-ctx.Done():
			return r
		}
	}
}
