package main

import (
	"fmt"

	"parley.dev/parley/bench/mock"
)

// canResume reports whether a subject has a command that resumes one of Parley's sessions.
func canResume(s subject) bool { return s.resume.args != nil || s.resume.line != "" }

// resumes measures how sessions of growing size are resumed.
func (b *bench) resumes(s subject) error {
	for _, mb := range b.size.journals {
		place, id, err := b.seeded.journal(b.dir, mb)
		if err != nil {
			return err
		}
		if err := b.resumeOne(s, place, id, mb); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) resumeOne(s subject, p *place, id string, mb int) error {
	if s.resume.line != "" {
		return b.in(p, s, func(a *agent) error {
			if _, err := a.ready(); err != nil {
				return err
			}
			before, _, memoryErr := resident(a.cmd.Process.Pid)
			a.talk.Session = id
			begin := mock.Now()
			if err := a.send(s.resume.line); err != nil {
				return err
			}
			_, then, err := a.until(s.resume.done, nil)
			if err != nil {
				return err
			}
			b.resumed(a, mb, (then - begin).Seconds(), before, memoryErr)
			_, err = a.close()
			return err
		})
	}
	var idle int64 // of a program with nothing to resume
	var idleErr error
	err := b.in(p, s, func(a *agent) error {
		_, err := a.ready()
		if idle, _, idleErr = resident(a.cmd.Process.Pid); err != nil {
			return err
		}
		_, err = a.close()
		return err
	})
	if err != nil {
		return err
	}
	args := make([]string, len(s.resume.args))
	for i, arg := range s.resume.args {
		if args[i] = arg; arg == "$SESSION" {
			args[i] = id
		}
	}
	return b.in(p, s, func(a *agent) error {
		took, err := a.ready()
		if err != nil {
			return err
		}
		b.resumed(a, mb, took.Seconds(), idle, idleErr)
		_, err = a.close()
		return err
	}, args...)
}

// resumed keeps the figures of one resume; before is the resident memory without it.
func (b *bench) resumed(a *agent, mb int, took float64, before int64, memoryErr error) {
	figure := fmt.Sprintf("resume-%d", mb)
	b.add(a, figure, took)
	if _, peak, err := resident(a.cmd.Process.Pid); err == nil && memoryErr == nil {
		b.add(a, figure+"-memory", float64(max(peak-before, 0)))
	}
}

// warmLists is how many lists are requested from a process that has sent one.
const warmLists = 5

// lists measures the first page of a list of very many sessions.
func (b *bench) lists(s subject) error {
	p, err := b.seeded.many(b.dir, b.size.listed)
	if err != nil {
		return err
	}
	return b.in(p, s, func(a *agent) error {
		if _, err := a.ready(); err != nil {
			return err
		}
		for n := range 1 + warmLists {
			begin := mock.Now()
			if err := a.send(s.list); err != nil {
				return err
			}
			_, then, err := a.until(s.listed, nil)
			if err != nil {
				return err
			}
			figure := "list-warm"
			if n == 0 {
				figure = "list-cold"
			}
			b.add(a, figure, (then - begin).Seconds())
		}
		_, err := a.close()
		return err
	})
}
