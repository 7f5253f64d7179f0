package main

import (
	"cmp"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
	"parley.dev/parley/internal/dialect/dialogue"
)

// hosting runs work with a host in a fresh place.
func (b *bench) hosting(s subject, work func(*agent) error) error {
	p, err := newPlace(b.dir)
	if err != nil {
		return err
	}
	defer p.remove()
	return b.serving(p, s, work)
}

// clients connects so many clients, which are closed after work.
func (p *place) clients(n int, work func([]*hostClient) error) error {
	var all []*hostClient
	defer func() {
		for _, c := range all {
			c.close()
		}
	}()
	for range n {
		c, err := p.connect()
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	return work(all)
}

// each calls do for each of the clients, side by side, and returns the first thing that went wrong.
func each(clients []*hostClient, do func(int, *hostClient) error) error {
	problems := make([]error, len(clients))
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() { problems[i] = do(i, c) })
	}
	wg.Wait()
	return cmp.Or(problems...)
}

// crowd measures deltas, one a millisecond, that very many clients follow: how late the last of them gets each.
func (b *bench) crowd(s subject) error {
	return b.hosting(s, func(a *agent) error {
		return a.place.clients(b.size.crowd, func(all []*hostClient) error {
			if err := all[0].create(a.place, "crowd"); err != nil {
				return err
			}
			if err := each(all, func(_ int, c *hostClient) error { return c.follow("crowd", `"text_delta"`) }); err != nil {
				return err
			}
			if err := b.watchedTurn(all, "p-0", mock.Scenario{Deltas: 1, Every: time.Millisecond}, nil); err != nil {
				return err
			}
			last := make([]atomic.Int64, b.size.paced)
			before, cpuErr := cpu(a.cmd.Process.Pid)
			begin := mock.Now()
			if err := b.watchedTurn(all, "p-1", mock.Scenario{Deltas: b.size.paced, Every: time.Millisecond}, last); err != nil {
				return err
			}
			if after, err := cpu(a.cmd.Process.Pid); err == nil && cpuErr == nil {
				b.add(a, "crowd-cpu", (after-before).Seconds()/(mock.Now()-begin).Seconds())
			}
			var late report.Sample
			for i := range last {
				late = append(late, time.Duration(last[i].Load()).Seconds())
			}
			b.add(a, "crowd-p50", late.At(0.5))
			b.add(a, "crowd-p99", late.At(0.99))
			return nil
		})
	})
}

// watchedTurn prompts, and has each client read up to the end of the turn. Last, if it is not nil, is of each delta how
// late the last client got it.
func (b *bench) watchedTurn(all []*hostClient, id string, s mock.Scenario, last []atomic.Int64) error {
	b.model.Play(s).Prepare()
	if _, err := all[0].ask("turn/prompt", prompt("crowd", id)); err != nil {
		return err
	}
	return each(all, func(i int, c *hostClient) error {
		came := 0
		_, _, err := c.until(turnEnded, func(line []byte, now time.Duration) {
			text, some := modelTextOf(line)
			if !some {
				return
			}
			mock.Sent(text, func(sent time.Duration) {
				if came < len(last) {
					raise(&last[came], int64(now-sent))
				}
				came++
			})
		})
		if err == nil && came != s.Deltas {
			err = fmt.Errorf("%d deltas came of %d to client %d", came, s.Deltas, i)
		}
		return err
	})
}

// deltaOf is in a record with text of the model.
var deltaOf = dialogue.Marks{`"kind":"text_delta"`}

func modelTextOf(line []byte) ([]byte, bool) {
	if !deltaOf.In(line) {
		return nil, false
	}
	return dialogue.Field(`"text":"`).Of(line)
}

// raise makes a number at least as large as n.
func raise(number *atomic.Int64, n int64) {
	for {
		now := number.Load()
		if now >= n || number.CompareAndSwap(now, n) {
			return
		}
	}
}

// attached measures the memory of one more client that follows a session in which nothing happens.
func (b *bench) attached(s subject) error {
	return b.hosting(s, func(a *agent) error {
		var before int64
		attach := func(n int, then func() error) error {
			return a.place.clients(n, func(all []*hostClient) error {
				if before == 0 {
					if err := all[0].create(a.place, "idle"); err != nil {
						return err
					}
				}
				stop := make(chan struct{})
				var reading sync.WaitGroup
				defer reading.Wait()
				defer close(stop)
				for _, c := range all {
					if err := c.follow("idle", `"text_delta"`); err != nil {
						return err
					}
					reading.Go(func() { c.drain(stop) }) // of the other clients
				}
				<-time.After(b.size.idle)
				return then()
			})
		}
		// Those that come first are not counted: with them the program has what all of them share.
		return attach(1+b.size.attached/10, func() (err error) {
			if before, err = pss(a.cmd.Process.Pid); err != nil {
				return nil //nolint:nilerr // this system does not report it
			}
			return attach(b.size.attached, func() error {
				after, err := pss(a.cmd.Process.Pid)
				b.add(a, "client-idle", float64(after-before)/float64(b.size.attached))
				return err
			})
		})
	})
}

// drain reads until stop.
func (c *hostClient) drain(stop <-chan struct{}) {
	ended := make(chan struct{})
	defer func() { <-ended }()
	done := make(chan struct{})
	defer close(done)
	go func() {
		defer close(ended)
		select {
		case <-stop:
			_ = c.SetReadDeadline(time.Now())
		case <-done:
		}
	}()
	if c.SetReadDeadline(time.Time{}) != nil {
		return
	}
	for {
		if _, _, err := c.line(); err != nil {
			return
		}
	}
}

// sessionsOf is how many sessions each client prompts in turn.
const sessionsOf = 10

// busy measures how long it takes until prompts are accepted, while each of many clients sends one a second to one of
// its sessions. All turns must come to their end.
func (b *bench) busy(s subject) error {
	s.env = []string{"PARLEY_MODEL=offline/demo"}
	return b.hosting(s, func(a *agent) error {
		return a.place.clients(b.size.busy/sessionsOf, func(all []*hostClient) error {
			name := func(client, n int) string { return fmt.Sprintf("s-%d-%d", client, n%sessionsOf) }
			err := each(all, func(i int, c *hostClient) error {
				for n := range sessionsOf {
					if err := c.create(a.place, name(i, n)); err != nil {
						return err
					}
					if err := c.follow(name(i, n), ""); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			took := make([]report.Sample, len(all))
			begin := mock.Now()
			err = each(all, func(i int, c *hostClient) error {
				for n := range b.size.asked {
					due := begin + time.Duration(n)*time.Second + time.Duration(i)*time.Second/time.Duration(len(all))
					<-time.After(due - mock.Now())
					one, err := c.accepted(name(i, n), "p-"+strconv.Itoa(n))
					if err != nil {
						return err
					}
					took[i] = append(took[i], one.Seconds())
				}
				return nil
			})
			var sample report.Sample
			for _, of := range took {
				sample = append(sample, of...)
			}
			b.add(a, "accept-p50", sample.At(0.5))
			b.add(a, "accept-p99", sample.At(0.99))
			return err
		})
	})
}

// accepted prompts, waits for the end of the turn, and returns how long it took until the prompt was accepted.
func (c *hostClient) accepted(session, id string) (time.Duration, error) {
	begin := mock.Now()
	answer, err := c.ask("turn/prompt", prompt(session, id))
	if err != nil {
		return 0, err
	}
	line, then, err := c.until(answer, nil)
	if err != nil {
		return 0, err
	}
	if !(dialogue.Marks{`"result":`, `"turn":`}).In(line) {
		return 0, fmt.Errorf("a prompt is answered with %.500s", line)
	}
	line, _, err = c.until(turnEnded, nil)
	if err == nil && !(dialogue.Marks{`"reason":"completed"`}).In(line) {
		err = fmt.Errorf("a turn ended with %.500s", line)
	}
	return then - begin, err
}

// reconnects measures how long a client takes that was away to get everything that it has missed.
func (b *bench) reconnects(s subject) error {
	p, id, err := b.seeded.ofRecords(b.dir, b.size.missed)
	if err != nil {
		return err
	}
	return b.serving(p, s, func(a *agent) error {
		return p.clients(1, func(first []*hostClient) error {
			if err := first[0].follow(id, ""); err != nil { // the session is open all the time
				return err
			}
			<-time.After(b.size.settled)
			before, _, memoryErr := resident(a.cmd.Process.Pid)
			if err := forgetPeak(a.cmd.Process.Pid); err != nil {
				memoryErr = err
			}
			begin := mock.Now()
			c, err := p.connect()
			if err != nil {
				return err
			}
			defer c.close()
			if _, err := c.ask("session/follow", fmt.Sprintf(`"session":%q,"from":1`, id)); err != nil {
				return err
			}
			_, then, err := c.until(dialogue.Marks{fmt.Sprintf(`"record":{"seq":%d,`, b.size.missed)}, nil)
			if err != nil {
				return err
			}
			// Quick runs miss fewer: the figure is scaled to the full number.
			b.add(a, "reconnect", (then-begin).Seconds()*float64(full.missed)/float64(b.size.missed))
			if _, peak, err := resident(a.cmd.Process.Pid); err == nil && memoryErr == nil {
				b.add(a, "reconnect-memory", float64(max(peak-before, 0)))
			}
			return nil
		})
	})
}
