package dialect

import (
	"context"
	"errors"
	"fmt"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// CatchUp calls fold with the records of the session up to head, with the client's names of tools. If they cannot be read the
// connection leaves the session, which must not be joined: a view without the past does not understand what follows.
func (p *Pump) CatchUp(ctx context.Context, client *engine.Client, names Names, head uint64, fold func(event.Record)) error {
	if head == 0 {
		return nil
	}
	for rec, err := range names.All(p.session.Log().Records(ctx)) {
		if err != nil {
			err = fmt.Errorf("read the history of session %s: %w", p.session.ID(), err)
			return errors.Join(err, p.Leave(context.WithoutCancel(ctx), client))
		}
		if rec.Seq > head {
			break
		}
		fold(rec)
		if rec.Seq == head {
			break
		}
	}
	return nil
}
