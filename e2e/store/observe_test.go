//go:build linux

package store

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/stream"
)

// dialer returns how a writer connects: it logs each attempt to publish a frame, and makes a mistake if it is a mutant.
func dialer(address stream.Address, mutant string, log func(entry)) func(context.Context) (*cluster.Link, error) {
	return func(ctx context.Context) (*cluster.Link, error) {
		c, err := stream.Dial(address, stream.ConnectOptions{})
		if err != nil {
			return nil, err
		}
		format, err := c.Format(ctx, address.Namespace)
		if err != nil {
			c.Close()
			return nil, err
		}
		l := &cluster.Link{Server: c, Feed: c, Namespace: format.Namespace(address.Namespace), Close: c.Close}
		if l.Server, err = mutate(c, mutant, address, log); err != nil {
			c.Close()
			return nil, err
		}
		l.Server = &observed{Server: l.Server, log: log}
		return l, nil
	}
}

// An observed is a server whose publications of frames are logged.
type observed struct {
	stream.Server
	log   func(entry)
	count atomic.Int64
}

func (o *observed) Publish(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	if m.TTL > 0 {
		return o.renew(ctx, m, after)
	}
	if m.Header["Parley-Kind"] == "" {
		return o.Server.Publish(ctx, m, after)
	}
	epoch, _ := strconv.ParseUint(m.Header["Parley-Epoch"], 10, 64)
	e := entry{Op: int(o.count.Add(1)), Do: opFrame, Session: sessionOf(m.Subject), Frame: &published{
		Kind: m.Header["Parley-Kind"], ID: m.Header["Parley-Frame"], Owner: m.Header["Parley-Owner"], Epoch: epoch, Expected: after,
	}}
	o.log(e)
	seq, err := o.Server.Publish(ctx, m, after)
	e.End, e.Outcome = true, ack
	if err != nil {
		e.Outcome, e.Error = unknown, err.Error()
		_, rejected := errors.AsType[*stream.RefusedError](err)
		if rejected || errors.Is(err, stream.ErrSequence) || errors.Is(err, stream.ErrNotApplied) {
			e.Outcome = refused
		}
	} else {
		f := *e.Frame
		f.Sequence, e.Frame = seq, &f
	}
	o.log(e)
	return seq, err
}

// renew publishes the key of the host.
func (o *observed) renew(ctx context.Context, m *stream.Message, after uint64) (uint64, error) {
	e := entry{Op: int(o.count.Add(1)), Do: opRenew}
	o.log(e)
	seq, err := o.Server.Publish(ctx, m, after)
	e.End, e.Outcome = true, outcomeOf(err)
	o.log(e)
	return seq, err
}

// sessionOf returns the session of a subject; the ids of these tests are plain.
func sessionOf(subject string) string {
	for i := len(subject) - 1; i >= 0; i-- {
		if subject[i] == '.' {
			return subject[i+1:]
		}
	}
	return subject
}
