package sandbox

import "context"

// A Mechanism is one way to confine commands, as this machine has it.
type Mechanism struct {
	Name      string
	Available bool
	Detail    string // what was found, or why there is nothing
	Fix       string // what a person can do about it; "" when Available
}

// A Report is every Mechanism that was looked for.
type Report []Mechanism

// Probe tries out which mechanisms this machine has, in some milliseconds, once a process.
// Which of them are used is the Confinement of a Spawner. When ctx ends, Probe returns
// without what it still waits for.
func Probe(ctx context.Context) Report {
	found := make(chan Mechanism)
	go func() { // ends with the last try, heard or not
		defer close(found)
		for _, look := range mechanisms {
			select {
			case found <- look():
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
