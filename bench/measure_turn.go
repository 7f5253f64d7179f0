package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
)

// slowFirst is how long the model waits before its first byte, so that a process that waits
// for it is asleep by then.
const slowFirst = 5 * time.Millisecond

// An answer is what came back to a prompt.
type answer struct {
	asked   time.Duration   // when the prompt was written
	ended   time.Duration   // when its end came
	deltas  int             // that came
	latency []time.Duration // of each stamped delta
}

// turn prompts, and reads to the end of the turn.
func (a *agent) turn() (answer, error) {
	answer := answer{asked: mock.Now()}
	if err := a.send(a.Prompt); err != nil {
		return answer, err
	}
	_, ended, err := a.until(a.Ended, func(line []byte, now time.Duration) {
		if text, some := a.modelText(line); some {
			answer.deltas += mock.Count(text)
			mock.Sent(text, func(sent time.Duration) { answer.latency = append(answer.latency, now-sent) })
		}
	})
	answer.ended = ended
	return answer, err
}

// play returns a turn of a scenario, all of whose deltas must come.
func (b *bench) play(a *agent, s mock.Scenario) (answer, *mock.Take, error) {
	take := b.model.Play(s)
	take.Prepare()
	answer, err := a.turn()
	switch {
	case err != nil:
	case answer.deltas != s.Deltas:
		err = a.failed(fmt.Errorf("%d deltas came of %d", answer.deltas, s.Deltas))
	case len(take.Arrived()) < s.Rounds+1:
		err = a.failed(fmt.Errorf("%d requests came, at least %d were to", len(take.Arrived()), s.Rounds+1))
	}
	return answer, take, err
}

// warm calls work with an agent of the subject whose session has had a turn.
func (b *bench) warm(s subject, work func(*agent) error) error {
	return b.with(s, func(a *agent) error {
		if err := b.warmUp(a); err != nil {
			return err
		}
		return work(a)
	})
}

// warmUp has a turn with an agent that was just started.
func (b *bench) warmUp(a *agent) error {
	if _, err := a.ready(); err != nil {
		return err
	}
	if err := a.begin(); err != nil {
		return err
	}
	_, _, err := b.play(a, mock.Scenario{Deltas: 1})
	return err
}

// turns measures the delay added on the way to the model and back, and the end of the program.
func (b *bench) turns(s subject) error {
	return b.warm(s, func(a *agent) error {
		if err := b.prompts(a, "request", "first-delta"); err != nil {
			return err
		}
		took, err := a.close()
		b.add(a, "exit", took.Seconds())
		return err
	})
}

// prompts measures the delay added to requests, and to first deltas.
func (b *bench) prompts(a *agent, request, first string) error {
	for range b.size.prompts {
		answer, take, err := b.play(a, mock.Scenario{First: slowFirst, Deltas: 1, Every: time.Millisecond})
		if err != nil {
			return err
		}
		b.add(a, request, (take.Arrived()[0] - answer.asked).Seconds())
		if first != "" {
			b.add(a, first, answer.latency[0].Seconds())
		}
	}
	return nil
}

// paced measures how late deltas come that the model sends one a millisecond.
func (b *bench) paced(s subject) error { return b.latency(s, "delta", b.size.paced) }

// long measures the same for a longer answer.
func (b *bench) long(s subject) error { return b.latency(s, "long", b.size.long) }

// latency measures the latency of count deltas, one a millisecond.
func (b *bench) latency(s subject, figure string, count int) error {
	return b.warm(s, func(a *agent) error {
		late, err := b.late(a, count)
		if err != nil {
			return err
		}
		b.add(a, figure+"-p50", late.At(0.5))
		b.add(a, figure+"-p99", late.At(0.99))
		return nil
	})
}

// late returns how late count deltas come that the model sends one a millisecond.
func (b *bench) late(a *agent, count int) (late report.Sample, err error) {
	answer, _, err := b.play(a, mock.Scenario{Deltas: count, Every: time.Millisecond})
	for _, d := range answer.latency {
		late = append(late, d.Seconds())
	}
	return late, err
}

// slowRate is how many bytes a second a slow reader takes.
const slowRate = 4 << 20

// slow measures what is written to a slow reader while the model sends a delta a millisecond.
func (b *bench) slow(s subject) error {
	return b.warm(s, func(a *agent) error {
		a.lines.Reset(&slowReader{from: a.stdout})
		written := a.bytes
		if _, _, err := b.play(a, mock.Scenario{Deltas: b.size.slow, Every: time.Millisecond}); err != nil {
			return err
		}
		b.add(a, "slow-bytes", float64(a.bytes-written)*deltas/float64(b.size.slow))
		return nil
	})
}

// A slowReader reads slowRate bytes a second.
type slowReader struct {
	from io.Reader
	due  time.Duration // when the next read may begin
}

func (r *slowReader) Read(p []byte) (int, error) {
	if wait := r.due - mock.Now(); wait > 0 {
		<-time.After(wait)
	}
	n, err := r.from.Read(p[:min(len(p), 64<<10)])
	r.due = max(r.due, mock.Now()-100*time.Millisecond) + time.Duration(n)*time.Second/slowRate
	return n, err
}

// fast measures the rate of deltas that the model has ready, and their cost.
func (b *bench) fast(s subject) error {
	return b.warm(s, func(a *agent) error {
		before, cpuErr := cpu(a.cmd.Process.Pid)
		written, count := a.bytes, b.size.fast
		if s.most > 0 {
			count = min(count, s.most)
		}
		answer, take, err := b.play(a, mock.Scenario{Deltas: count})
		if err != nil {
			return err
		}
		n := float64(count)
		b.add(a, "throughput", n/(answer.ended-take.Arrived()[0]).Seconds())
		b.add(a, "delta-bytes", float64(a.bytes-written)*deltas/n)
		if after, err := cpu(a.cmd.Process.Pid); err == nil && cpuErr == nil {
			b.add(a, "delta-cpu", (after-before).Seconds()*deltas/n)
		}
		return nil
	})
}

func (b *bench) shell(s subject) error { return b.rounds(s, "shell-round", s.shell, said) }

func (b *bench) read(s subject) error { return b.rounds(s, "read-round", s.dialect.read, content) }

// rounds measures the time from an answer that calls a tool to the request with its result.
func (b *bench) rounds(s subject, figure string, t tool, result string) error {
	return b.warm(s, func(a *agent) error {
		input := strings.ReplaceAll(t.input, "$DIR", a.place.work)
		_, take, err := b.play(a, mock.Scenario{Rounds: b.size.tools, Tool: t.name, Input: input, Deltas: 1})
		if err != nil {
			return err
		}
		if last := take.Last(); strings.Count(last, result) < b.size.tools {
			return a.failed(fmt.Errorf("%s did not say %q each time; the model received: %.2000s", t.name, result, last[max(len(last)-2000, 0):]))
		}
		arrived, sent := take.Arrived(), take.Sent()
		for n := range b.size.tools {
			b.add(a, figure, (arrived[n+1] - sent[n]).Seconds())
		}
		return nil
	})
}
