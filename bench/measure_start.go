package main

import "time"

// starts measures the start of a program, and its memory afterwards.
func (b *bench) starts(s subject) error {
	p, err := newPlace(b.dir)
	if err != nil {
		return err
	}
	defer p.remove()
	for range b.size.starts {
		err := b.in(p, s, func(a *agent) error {
			took, err := a.ready()
			if err != nil {
				return err
			}
			used, cpuErr := cpu(a.cmd.Process.Pid)
			memory, memoryErr := pss(a.cmd.Process.Pid)
			b.add(a, "cold-start", took.Seconds())
			if cpuErr == nil && memoryErr == nil {
				b.add(a, "cold-cpu", used.Seconds())
				b.add(a, "pss-start", float64(memory))
			}
			_, err = a.close()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// idle measures the memory of a program that has had no request for a while.
func (b *bench) idle(s subject) error {
	return b.with(s, func(a *agent) error {
		if _, err := a.ready(); err != nil {
			return err
		}
		<-time.After(b.size.idle)
		if memory, err := pss(a.cmd.Process.Pid); err == nil {
			b.add(a, "pss-idle", float64(memory))
		}
		_, err := a.close()
		return err
	})
}
