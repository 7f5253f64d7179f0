package cluster

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/stream"
)

// renewals is how often a key is renewed within its TTL.
const renewals = 3

// A key is the entry of this process in the bucket of hosts: others regard what it owns as free when the key
// is gone. The server removes it after its TTL, so the key is renewed.
type key struct {
	srv       stream.Server
	names     stream.Namespace
	id        string
	owner     string // HOST.INCARNATION
	ttl       time.Duration
	clock     func() time.Duration
	replaced  func()                      // called when another process uses the id
	sent      func(renewal time.Duration) // called after each renewal with the time at which it was sent
	data      func() []byte
	departure func() []byte   // the content of the message that removes the key
	news      <-chan struct{} // data has changed

	mu      sync.Mutex    // guards the rest
	seq     uint64        // of the key as this process published it last
	count   uint64        // of renewals
	renewed time.Duration // when the last successful renewal was sent
	steady  time.Duration // since when every renewal has succeeded
	gaps    uint64        // how often the key may have been gone between two renewals
	changed chan struct{} // closed, and replaced, after each renewal
	gone    bool
}

// The headers of a key.
const (
	headerIncarnation = "Parley-Incarnation"
	headerCount       = "Parley-Count"
)

// run renews the key until ctx ends or another process uses the id.
func (k *key) run(ctx context.Context) {
	for {
		k.mu.Lock()
		gone, interval := k.gone, k.ttl/renewals
		if k.clock()-k.renewed > interval {
			interval /= 5 // the last one has failed
		}
		k.mu.Unlock()
		if gone || !k.wait(ctx, interval) {
			return
		}
		_ = k.renew(ctx) // it is tried again, and live knows how long it has failed
	}
}

// announceInterval is how often a key is renewed at most since its data has changed.
const announceInterval = time.Second

// wait waits for the time of the next renewal, or until the data has changed. It returns false when ctx has ended.
func (k *key) wait(ctx context.Context, interval time.Duration) bool {
	timer := time.NewTimer(interval)
	defer timer.Stop()
	early := time.NewTimer(min(announceInterval, interval))
	defer early.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	case <-early.C:
	}
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-k.news:
	}
	return true
}

// errReplaced reports that another process uses the id of this host.
var errReplaced = errors.New("another process uses the id of this host")

// renew publishes the key once.
func (k *key) renew(ctx context.Context) error {
	data := k.data() // without the lock: it describes parts of the program that may look at the key
	k.mu.Lock()
	sent, after := k.clock(), k.seq
	k.count++
	m := &stream.Message{
		Subject: k.names.Host(k.id), TTL: k.ttl,
		Header: map[string]string{headerIncarnation: incarnationOf(k.owner), headerCount: strconv.FormatUint(k.count, 10)},
		Data:   data,
	}
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, k.ttl/renewals)
	defer cancel()
	seq, err := k.srv.Publish(ctx, m, after)
	if _, denied := errors.AsType[*stream.PermissionError](err); denied {
		return err
	}
	if err != nil {
		return errors.Join(err, k.resolve(ctx))
	}
	k.sent(sent)
	k.mu.Lock()
	defer k.mu.Unlock()
	if sent-k.renewed > 2*k.ttl/renewals {
		k.steady = sent // others may have missed the key
	}
	if k.clock()-k.renewed > k.ttl {
		k.gaps++
	}
	k.seq, k.renewed = seq, sent
	close(k.changed)
	k.changed = make(chan struct{})
	return nil
}

// resolve learns after a failed renewal what the key is, so that the next one can succeed.
func (k *key) resolve(ctx context.Context) error {
	found, err := stream.LastOnce(ctx, k.srv, k.names.Host(k.id))
	k.mu.Lock()
	defer k.mu.Unlock()
	k.steady = k.clock()
	if err != nil {
		return err
	}
	if incarnation, there := keyOf(found); there && incarnation != incarnationOf(k.owner) && k.seq > 0 && found.Seq > k.seq {
		if !k.gone {
			k.gone = true
			defer k.replaced()
		}
		return errReplaced
	}
	k.seq = found.Seq
	return nil
}

// joinAttempts is how often the first publication is tried, while other processes publish the same key.
const joinAttempts = 10

// join publishes the key for the first time. The key of an earlier process with the same id is replaced.
func (k *key) join(ctx context.Context) error {
	for range joinAttempts {
		if err := k.renew(ctx); err == nil {
			k.mu.Lock()
			k.steady = k.renewed
			k.mu.Unlock()
			return nil
		} else if _, denied := errors.AsType[*stream.PermissionError](err); denied || ctx.Err() != nil {
			return err
		}
	}
	return k.renew(ctx)
}

// leave removes the key, so that others need not wait for its end. It is tried once.
func (k *key) leave() {
	k.mu.Lock()
	after, gone := k.seq, k.gone
	k.mu.Unlock()
	if gone {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = k.srv.Publish(ctx, &stream.Message{
		Subject: k.names.Host(k.id), Header: map[string]string{stream.HeaderOperation: stream.OperationPurge}, TTL: k.ttl, Data: k.departure(),
	}, after)
}

// live reports whether an owner may still write. It is not live if its host has a key with another
// incarnation, or none. The latter counts only if this process has renewed its own key without a gap for
// the TTL: while the store cannot be reached no key can be renewed.
func (k *key) live(ctx context.Context, owner string) (bool, error) {
	id, incarnation, _ := strings.Cut(owner, ".")
	m, err := stream.LastOnce(ctx, k.srv, k.names.Host(id))
	if err != nil {
		return false, err
	}
	if found, there := keyOf(m); there {
		return found == incarnation, nil
	}
	if hasLeft(m) {
		return false, nil // it has left
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock()
	return now-k.steady < k.ttl || now-k.renewed > 2*k.ttl/renewals, nil
}

// fresh reports whether the last renewal was sent less than two thirds of the TTL ago.
func (k *key) fresh() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.clock()-k.renewed < 2*k.ttl/renewals
}

// await waits until the last renewal was sent less than two thirds of the TTL ago. It returns how often the key
// may have been gone until then.
func (k *key) await(ctx context.Context) (gaps uint64, err error) {
	for {
		k.mu.Lock()
		fresh, gaps, changed := k.clock()-k.renewed < 2*k.ttl/renewals, k.gaps, k.changed
		k.mu.Unlock()
		if fresh {
			return gaps, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// keyOf returns the incarnation in a key. A deletion, by the host or by the server, is no key.
func keyOf(m *stream.Message) (incarnation string, there bool) {
	incarnation, there = m.Header[headerIncarnation]
	return incarnation, there
}

// hasLeft reports whether the process of a key has removed it.
func hasLeft(m *stream.Message) bool {
	return m.Header[stream.HeaderOperation] == stream.OperationPurge
}

func incarnationOf(owner string) string {
	_, incarnation, _ := strings.Cut(owner, ".")
	return incarnation
}
