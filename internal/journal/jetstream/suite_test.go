package jetstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/jetstream"
	"parley.dev/parley/internal/journal/journaltest"
	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// testTTL is how long the key of a host lasts in the suite: the tests that kill holders wait for it.
const testTTL = 3 * time.Second

func TestMain(m *testing.M) { journaltest.Main(m, driver("", 1)) }

func TestStore(t *testing.T) { journaltest.Run(t, driver(natstest.Start(t).URL, 1)) }

func TestStoreOfThreeServers(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take minutes")
	}
	journaltest.Run(t, driver(natstest.StartCluster(t, 3)[0].URL, 3))
}

var locations atomic.Int64

// driver returns the driver for stores on a server, with as many replicas.
func driver(url string, replicas int) journaltest.Driver {
	return journaltest.Driver{
		NewLocation: func(t testing.TB) string {
			location := fmt.Sprintf("%s/t%d", url, locations.Add(1))
			a, err := stream.ParseAddress(location)
			if err == nil {
				err = stream.Init(t.Context(), a, stream.InitOptions{Replicas: replicas, Shards: 2})
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { removeNamespace(t, a) }) // each stream of a cluster costs something all the time
			return location
		},
		Open:         open,
		Bytes:        frames{},
		WholeRecords: true,
		SlowBytes:    true,
		Takeover:     true,
		TakeOver: func(location string, id event.SessionID) (journal.Journal, error) {
			s, err := open(location)
			if err != nil {
				return nil, err
			}
			j, err := jetstream.TakeOver(context.Background(), s.(*jetstream.Store), id)
			return closingJournal{j, s}, err
		},
	}
}

// removeNamespace deletes the streams of a namespace.
func removeNamespace(t testing.TB, a stream.Address) {
	conn, err := nats.Connect(a.Servers[0])
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	js, err := natsjs.New(conn)
	if err != nil {
		t.Error(err)
		return
	}
	names := js.StreamNames(context.Background())
	for name := range names.Name() {
		if strings.HasPrefix(name, a.Namespace+"_") || strings.HasPrefix(name, "KV_"+a.Namespace+"_") {
			if err := js.DeleteStream(context.Background(), name); err != nil {
				t.Error(err)
			}
		}
	}
}

func open(location string) (journal.Store, error) {
	a, err := stream.ParseAddress(location)
	if err != nil {
		return nil, err
	}
	return jetstream.New(cluster.New(cluster.Options{Address: a, HostTTL: testTTL})), nil
}

// A closingJournal closes its store, too.
type closingJournal struct {
	journal.Journal
	store journal.Store
}

func (j closingJournal) Close() error { return errors.Join(j.Journal.Close(), j.store.Close()) }

// frames reads and replaces the bytes in the frames of journals.
type frames struct{}

func (frames) with(location string, id event.SessionID, work func(natsjs.JetStream, natsjs.Stream, []*natsjs.RawStreamMsg) error) error {
	a, err := stream.ParseAddress(location)
	if err != nil {
		return err
	}
	conn, err := nats.Connect(a.Servers[0])
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := natsjs.New(conn)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for shard := range 2 {
		s, err := js.Stream(ctx, fmt.Sprintf("%s_j_%02x", a.Namespace, shard))
		if err != nil {
			return err
		}
		var all []*natsjs.RawStreamMsg
		for seq := uint64(1); ; {
			m, err := s.GetMsg(ctx, seq, natsjs.WithGetMsgSubject(fmt.Sprintf("%s.j.%02x.%s", a.Namespace, shard, id)))
			if errors.Is(err, natsjs.ErrMsgNotFound) {
				break
			}
			if err != nil {
				return err
			}
			all = append(all, m)
			seq = m.Sequence + 1
		}
		if len(all) > 0 {
			return work(js, s, all)
		}
	}
	return errors.New("no frames")
}

func (d frames) Load(location string, id event.SessionID) (data []byte, err error) {
	err = d.with(location, id, func(_ natsjs.JetStream, _ natsjs.Stream, all []*natsjs.RawStreamMsg) error {
		for _, m := range all {
			data = append(data, m.Data...)
		}
		return nil
	})
	return data, err
}

// Save purges the journal and publishes its frames again, with other bytes of the same number.
func (d frames) Save(location string, id event.SessionID, data []byte) error {
	return d.with(location, id, func(js natsjs.JetStream, s natsjs.Stream, all []*natsjs.RawStreamMsg) error {
		ctx := context.Background()
		if err := s.Purge(ctx, natsjs.WithPurgeSubject(all[0].Subject)); err != nil {
			return err
		}
		var last natsjs.PubAckFuture
		for _, m := range all {
			body := data[:len(m.Data)]
			data = data[len(body):]
			header := m.Header
			header.Del("Nats-Expected-Last-Subject-Sequence")
			var err error
			if last, err = js.PublishMsgAsync(&nats.Msg{Subject: m.Subject, Header: header, Data: body}); err != nil {
				return err
			}
		}
		select {
		case <-last.Ok():
			return nil
		case err := <-last.Err():
			return err
		}
	})
}

func (frames) Ends(data []byte) (ends []int) {
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return ends
		}
		at += i + 1
		ends = append(ends, at)
	}
}
