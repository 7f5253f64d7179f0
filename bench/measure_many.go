package main

import (
	"fmt"
	"time"

	"parley.dev/parley/bench/mock"
)

const (
	// How sessions stream that stream at once.
	streamed    = 200
	streamEvery = 10 * time.Millisecond
	lookEvery   = 100 * time.Millisecond
)

// sessions measures the memory of a process with more and more sessions that have had no turn.
func (b *bench) sessions(s subject) error {
	return b.with(s, func(a *agent) error {
		if _, err := a.ready(); err != nil {
			return err
		}
		<-time.After(b.size.idle)
		open := 0
		if a.Main != "" {
			open = 1
		}
		var first, last int64
		for _, n := range b.size.sessions {
			for ; open < n; open++ {
				if err := a.another(); err != nil {
					return err
				}
			}
			<-time.After(b.size.settled)
			memory, err := pss(a.cmd.Process.Pid)
			if err != nil {
				return nil //nolint:nilerr // this system does not report it
			}
			b.add(a, fmt.Sprintf("sessions-%d", n), float64(memory))
			if last = memory; first == 0 {
				first = memory
			}
		}
		from, to := b.size.sessions[0], b.size.sessions[len(b.size.sessions)-1]
		b.add(a, "session", float64(last-first)/float64(to-from))
		return nil
	})
}

// used measures the memory of one more session that had a turn. Pages of the program that a start
// gives back have returned by then: a few sessions come first that are not counted.
func (b *bench) used(s subject) error {
	return b.warm(s, func(a *agent) error {
		<-time.After(b.size.idle)
		more := func() error {
			for range b.size.used {
				if err := a.another(); err != nil {
					return err
				}
				if _, _, err := b.play(a, mock.Scenario{Deltas: 1}); err != nil {
					return err
				}
			}
			<-time.After(b.size.settled)
			return nil
		}
		if err := more(); err != nil {
			return err
		}
		before, err := pss(a.cmd.Process.Pid)
		if err != nil {
			return nil //nolint:nilerr // this system does not report it
		}
		if err := more(); err != nil {
			return err
		}
		after, err := pss(a.cmd.Process.Pid)
		b.add(a, "session-used", float64(after-before)/float64(b.size.used))
		return err
	})
}

// streams measures the maximum memory of a process with many sessions that stream at once.
func (b *bench) streams(s subject) error {
	return b.with(s, func(a *agent) error {
		if _, err := a.ready(); err != nil {
			return err
		}
		b.model.Play(mock.Scenario{Deltas: streamed, Every: streamEvery}).Prepare()
		var ids []string
		for range b.size.streams {
			if err := a.another(); err != nil {
				return err
			}
			ids = append(ids, a.talk.Session)
		}
		for _, a.talk.Session = range ids {
			if err := a.send(a.Prompt); err != nil {
				return err
			}
		}
		most := make(chan int64)
		stop := make(chan struct{})
		go func() { most <- watch(a.cmd.Process.Pid, stop) }()
		ended, came := 0, 0
		var err error
		for ended < b.size.streams && err == nil {
			_, _, err = a.until(a.Ended, func(line []byte, _ time.Duration) {
				if text, some := a.modelText(line); some {
					came += mock.Count(text)
				}
			})
			ended++
		}
		close(stop)
		memory := <-most
		if err != nil {
			return err
		}
		if want := b.size.streams * streamed; came != want {
			return a.failed(fmt.Errorf("%d deltas came of %d", came, want))
		}
		if memory > 0 {
			b.add(a, "streams", float64(memory))
		}
		return nil
	})
}

// watch returns the most memory that a process has until stop; 0 where the system does not report it.
func watch(pid int, stop <-chan struct{}) (most int64) {
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			if memory, err := pss(pid); err == nil {
				most = max(most, memory)
			}
		case <-stop:
			return most
		}
	}
}
