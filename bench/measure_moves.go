package main

import (
	"bytes"
	"context"
	"fmt"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
	"parley.dev/parley/bench/store"
)

// moved is the session that hosts take from each other.
const moved = "moved"

// A fleet is hosts of the program that share a namespace.
type fleet struct {
	b    *bench
	host subject
	args []string
}

// withFleet runs work with a namespace for hosts. The offline model answers.
func (b *bench) withFleet(s subject, work func(*fleet) error) error {
	return b.withServers(func(ctx context.Context, servers *store.Servers) error {
		a, err := servers.Namespace(ctx)
		if err != nil {
			return err
		}
		return work(&fleet{b, subject{dialect: host, path: s.path, ours: true, env: []string{"PARLEY_MODEL=offline/demo"}}, []string{"--store", servers.Location(a)}})
	})
}

// serve runs work with a host in a place, and a client of it.
func (f *fleet) serve(p *place, work func(*agent, *hostClient) error) error {
	return f.b.serving(p, f.host, func(a *agent) error {
		return p.clients(1, func(all []*hostClient) error { return work(a, all[0]) })
	}, f.args...)
}

// places runs work with two places, whose sessions work in the same folder.
func (f *fleet) places(work func(one, two *place) error) error {
	one, err := newPlace(f.b.dir)
	if err != nil {
		return err
	}
	defer one.remove()
	two, err := newPlace(f.b.dir)
	if err != nil {
		return err
	}
	defer two.remove()
	return work(one, two)
}

// begin creates a session that had a turn, and closes it: no client needs it.
func (c *hostClient) begin(p *place) error {
	if err := c.create(p, moved); err != nil {
		return err
	}
	if _, err := c.call("session/follow", fmt.Sprintf(`"session":%q,"from":1`, moved)); err != nil {
		return err
	}
	if _, err := c.accepted(moved, "p-0"); err != nil {
		return err
	}
	return c.leave()
}

func (c *hostClient) leave() error {
	_, err := c.call("session/close", fmt.Sprintf(`"session":%q`, moved))
	return err
}

// open opens the session, which may come from another host, and returns how long that took.
func (c *hostClient) open() (float64, error) {
	begin := mock.Now()
	line, err := c.call("session/open", fmt.Sprintf(`"session":%q`, moved))
	if err == nil && bytes.Contains(line, []byte(`"via":`)) {
		err = fmt.Errorf("the session did not move: %.500s", line)
	}
	return (mock.Now() - begin).Seconds(), err
}

// moves measures the opening of an idle session that another host has had.
func (b *bench) moves(s subject) error {
	return b.withFleet(s, func(f *fleet) error {
		return f.places(func(one, two *place) error {
			return f.serve(one, func(_ *agent, from *hostClient) error {
				return f.serve(two, func(_ *agent, to *hostClient) error {
					if err := from.begin(one); err != nil {
						return err
					}
					var took report.Sample
					for range b.size.moves {
						from, to = to, from
						one, err := from.open()
						if err != nil {
							return err
						}
						if err := from.leave(); err != nil {
							return err
						}
						took = append(took, one)
					}
					b.run.Add("idle-move", s.Name, took.Median())
					return nil
				})
			})
		})
	})
}

// takeovers measures how long the opening of a session takes whose host was killed: on another host, and on the same one that was started
// again.
func (b *bench) takeovers(s subject) error {
	if b.size.takeovers == 0 {
		return nil
	}
	return b.withFleet(s, func(f *fleet) error {
		return f.places(func(one, two *place) error {
			return f.serve(two, func(_ *agent, other *hostClient) error {
				if err := f.killed(one); err != nil {
					return err
				}
				took, err := other.open()
				b.run.Add("takeover", s.Name, took)
				return err
			})
		})
	})
}

// restarts measures the start of a host that was killed, up to the opening of its session.
func (b *bench) restarts(s subject) error {
	return b.withFleet(s, func(f *fleet) error {
		return f.places(func(one, _ *place) error {
			if err := f.killed(one); err != nil {
				return err
			}
			begin := mock.Now()
			return f.serve(one, func(_ *agent, c *hostClient) error {
				_, err := c.open()
				b.run.Add("restart", s.Name, (mock.Now() - begin).Seconds())
				return err
			})
		})
	})
}

// killed runs a host that has the session open, and kills it.
func (f *fleet) killed(p *place) error {
	return f.serve(p, func(a *agent, c *hostClient) error {
		err := c.begin(p)
		if err == nil {
			_, err = c.open()
		}
		a.kill()
		return err
	})
}
