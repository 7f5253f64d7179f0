package main

import "slices"

// relays measures a client that a host serves beside one that an embedded process serves: both are prompted in turn.
func (b *bench) relays(s subject) error {
	return b.warm(s, func(embedded *agent) error {
		p, err := newPlace(b.dir)
		if err != nil {
			return err
		}
		defer p.remove()
		return b.serving(p, subject{dialect: host, path: s.path, ours: true}, func(*agent) error {
			return b.in(p, s, func(relay *agent) error {
				if err := b.warmUp(relay); err != nil {
					return err
				}
				both := pair{{"embedded", embedded}, {"relay", relay}}
				if err := b.firstDeltas(both); err != nil {
					return err
				}
				_, err := b.pacedBoth(both)
				return err
			}, "--host=unix:"+p.socket())
		})
	})
}

// hostStarts measures the start of a host, and of Flint where parley-host is executed in the place of parley, beside that of Flint.
func (b *bench) hostStarts(s subject) error {
	embedded := s
	embedded.dialect = ours[slices.IndexFunc(ours, func(d dialect) bool { return d.Name == "flint" })]
	executed := embedded
	executed.env = append(slices.Clone(executed.env), "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9") // nothing is sent before a turn
	p, err := newPlace(b.dir)
	if err != nil {
		return err
	}
	defer p.remove()
	for range b.size.starts {
		for figure, of := range map[string]subject{"embedded-start": embedded, "executed-start": executed, "host-start": s} {
			err := b.in(p, of, func(a *agent) error {
				took, err := a.ready()
				b.run.Add(figure, s.Name, took.Seconds())
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
