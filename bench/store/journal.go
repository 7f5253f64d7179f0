package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/stream"
)

// A Pair is what a part of ours took, and the raw operation of the client library beside it.
type Pair struct{ Raw, Ours []time.Duration }

// frame is the size of a message that is published raw, in bytes: that of a frame with one record.
const frame = 300

// A session is a journal of a namespace, and the client library on the same stream.
type session struct {
	address stream.Address
	store   journal.Store
	journal journal.Journal
	raw     natsjs.JetStream
	close   func() error
}

func (s *Servers) session(ctx context.Context) (*session, error) {
	a, err := s.Namespace(ctx)
	if err != nil {
		return nil, err
	}
	raw, disconnect, err := s.connect()
	if err != nil {
		return nil, err
	}
	store := jetstream.New(cluster.New(cluster.Options{Address: a}))
	j, err := create(ctx, store, "a")
	if err != nil {
		disconnect()
		return nil, errors.Join(err, store.Close())
	}
	return &session{a, store, j, raw, func() error {
		disconnect()
		return errors.Join(j.Close(), store.Close())
	}}, nil
}

func create(ctx context.Context, s journal.Store, id event.SessionID) (journal.Journal, error) {
	return s.Create(ctx, id, []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: id}}})
}

func (s *session) publish(ctx context.Context, subject string, data []byte) error {
	_, err := s.raw.Publish(ctx, s.address.Namespace+".j.00."+subject, data)
	return err
}

func appendRecord(j journal.Journal, text string) error {
	return errors.Join(j.Append(j.Head(), []event.Record{{Event: event.Notice{Text: text}}}), j.Sync())
}

// Appends publishes n times on the stream of a session, each time followed by an append of one record that is waited for.
func (s *Servers) Appends(ctx context.Context, n int) (p Pair, err error) {
	on, err := s.session(ctx)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, on.close()) }()
	data, text := []byte(strings.Repeat("x", frame)), strings.Repeat("x", frame-100)
	return pairs(n, func() error { return on.publish(ctx, "raw", data) }, func() error { return appendRecord(on.journal, text) })
}

// pairs calls both in turn, n times.
func pairs(n int, raw, ours func() error) (p Pair, err error) {
	for range n {
		for _, one := range []struct {
			do   func() error
			took *[]time.Duration
		}{{raw, &p.Raw}, {ours, &p.Ours}} {
			begin := time.Now()
			if err := one.do(); err != nil {
				return p, err
			}
			*one.took = append(*one.took, time.Since(begin))
		}
	}
	return p, nil
}

// Rates returns how many messages a second as many writers publish, each of which waits for every acknowledgement, and how many frames as
// many sessions append.
func (s *Servers) Rates(ctx context.Context, sessions, each int) (raw, frames float64, err error) {
	on, err := s.session(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, on.close()) }()
	data, text := []byte(strings.Repeat("x", frame)), strings.Repeat("x", frame-100)
	journals := make([]journal.Journal, sessions)
	for i := range journals {
		if journals[i], err = create(ctx, on.store, event.SessionID(fmt.Sprint("s", i))); err != nil {
			return 0, 0, err
		}
	}
	raw, err = rate(sessions, each, func(i int) error { return on.publish(ctx, fmt.Sprint("raw", i), data) })
	if err == nil {
		frames, err = rate(sessions, each, func(i int) error { return appendRecord(journals[i], text) })
	}
	for _, j := range journals {
		err = errors.Join(err, j.Close())
	}
	return raw, frames, err
}

// rate returns how many calls a second are done by so many callers, each of which makes as many.
func rate(callers, each int, do func(i int) error) (float64, error) {
	errs := make([]error, callers)
	begin := time.Now()
	var calling sync.WaitGroup
	for i := range callers {
		calling.Go(func() {
			for n := 0; n < each && errs[i] == nil; n++ {
				errs[i] = do(i)
			}
		})
	}
	calling.Wait()
	return float64(callers*each) / time.Since(begin).Seconds(), errors.Join(errs...)
}

// recordSize is the size of the records of a session that is opened, in bytes.
const recordSize = 16 << 10

// Open opens a session of so many bytes n times, each time after an ordered consumer of the client library has read the messages of the
// same subject.
func (s *Servers) Open(ctx context.Context, size, n int) (p Pair, err error) {
	on, err := s.session(ctx)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, on.close()) }()
	text := strings.Repeat("0123456789abcdef", recordSize/16)
	for range size / recordSize {
		if err := on.journal.Append(on.journal.Head(), []event.Record{{Event: event.Notice{Text: text}}}); err != nil {
			return p, err
		}
		if err := on.journal.Sync(); err != nil { // a frame each
			return p, err
		}
	}
	return pairs(n, func() error { return on.readRaw(ctx) }, func() error {
		count := 0
		_, err := on.store.Open(ctx, "a", func(event.Record) error { count++; return nil })
		if err == nil && count != size/recordSize+1 {
			err = fmt.Errorf("%d records were read of %d", count, size/recordSize+1)
		}
		return err
	})
}

// readRaw reads the messages of the session with an ordered consumer.
func (s *session) readRaw(ctx context.Context) error {
	subject := s.address.Namespace + ".j.00.a"
	all, err := s.raw.Stream(ctx, s.address.Namespace+"_j_00")
	if err != nil {
		return err
	}
	last, err := all.GetLastMsgForSubject(ctx, subject)
	if err != nil {
		return err
	}
	c, err := all.OrderedConsumer(ctx, natsjs.OrderedConsumerConfig{FilterSubjects: []string{subject}})
	if err != nil {
		return err
	}
	messages, err := c.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next()
		if err != nil {
			return err
		}
		if meta, err := m.Metadata(); err != nil || meta.Sequence.Stream >= last.Sequence {
			return err
		}
	}
}
