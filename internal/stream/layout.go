package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"
)

// formatVersion is the version of the layout of a namespace.
const formatVersion = 1

// A Format is the layout of a namespace, as it is stored there.
type Format struct {
	Version    int       `json:"version"`
	Shards     int       `json:"shards"`
	Replicas   int       `json:"replicas"`
	Created    time.Time `json:"created"`
	MinVersion int       `json:"min_version"` // of the layout that a program must know
}

// Namespace returns the subjects of a namespace of that layout.
func (f Format) Namespace(name string) Namespace { return Namespace{Name: name, Shards: f.Shards} }

// InitOptions are how a namespace is made.
type InitOptions struct {
	Replicas int   // of every stream, 1, 3 or 5; 0: 1
	Shards   int   // 1 to 64; 0: 1
	MaxBytes int64 // of each stream; 0: no limit
	Connect  ConnectOptions
}

const maxShards = 64

// initTimeout is how long Init may take: each stream of a cluster elects a leader.
const initTimeout = time.Minute

// Init makes a namespace, or completes one that was made with the same options. With other shards or replicas
// it fails.
func Init(ctx context.Context, a Address, o InitOptions) error {
	o.Replicas, o.Shards = max(o.Replicas, 1), max(o.Shards, 1)
	if o.Shards > maxShards {
		return fmt.Errorf("%d shards are too many: at most %d are possible", o.Shards, maxShards)
	}
	ctx, cancel := context.WithTimeout(ctx, initTimeout)
	defer cancel()
	c, err := Dial(a, o.Connect)
	if err != nil {
		return fmt.Errorf("store %s: %w", a, err)
	}
	defer c.Close()
	if err := c.init(ctx, a.Namespace, o); err != nil {
		return fmt.Errorf("initialise store %s: %w", a, err)
	}
	return nil
}

func (c *Client) init(ctx context.Context, name string, o InitOptions) error {
	for _, config := range streams(name, o) {
		if err := c.createStream(ctx, config); err != nil {
			return fmt.Errorf("stream %s: %w", config.Name, err)
		}
	}
	want := Format{Version: formatVersion, Shards: o.Shards, Replicas: o.Replicas, Created: time.Now().UTC(), MinVersion: formatVersion}
	text, err := json.Marshal(want)
	if err != nil {
		return err
	}
	n := Namespace{Name: name}
	_, err = c.Publish(ctx, &Message{Subject: n.Format(), Data: text}, 0)
	if !errors.Is(err, ErrSequence) {
		return err
	}
	found, err := c.Format(ctx, name)
	if err == nil && (found.Shards != want.Shards || found.Replicas != want.Replicas) {
		err = fmt.Errorf("it has %d shards and %d replicas already", found.Shards, found.Replicas)
	}
	return err
}

// createStream creates a stream, unless it is there. A cluster that has no leader yet does not answer, and
// forgets the request.
func (c *Client) createStream(ctx context.Context, config jetstream.StreamConfig) error {
	var pause Backoff
	for {
		err := c.createStreamOnce(ctx, config)
		switch {
		case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse):
			return c.limitStream(ctx, config) // it has another configuration; the format says what is different
		case err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) && !isNotReady(err):
			return err
		}
		if err := pause.Wait(ctx, MaxPause); err != nil {
			return err
		}
	}
}

func (c *Client) createStreamOnce(ctx context.Context, config jetstream.StreamConfig) (err error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerTimeout)
	defer cancel()
	ctx, done := c.violations.watch(ctx, api("STREAM.CREATE", config.Name))
	defer done(&err)
	_, err = c.js.CreateStream(ctx, config)
	return err
}

// isNotReady reports whether an error is that of a cluster that has just started and does not have all of its servers yet.
func isNotReady(err error) bool {
	const noPeers jetstream.ErrorCode = 10005 // no suitable peers for placement
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == noPeers
}

// restoreHosts creates the bucket of hosts again if a subject is one of its: it is in memory, and a server that
// is alone has no memory of it after a restart. The keys in it are renewed by their hosts.
func (c *Client) restoreHosts(ctx context.Context, subject string) error {
	bucket := streamOf(subject)
	name, _ := strings.CutPrefix(bucket, "KV_")
	name, ok := strings.CutSuffix(name, "_hosts")
	if !ok {
		return nil
	}
	f, err := c.Format(ctx, name)
	if err != nil {
		return err
	}
	for _, config := range streams(name, InitOptions{Replicas: f.Replicas, Shards: f.Shards}) {
		if config.Name == bucket {
			return c.createStream(ctx, config)
		}
	}
	return nil
}

// limitStream sets the limit of a stream that exists, if config has one.
func (c *Client) limitStream(ctx context.Context, config jetstream.StreamConfig) (err error) {
	if config.MaxBytes <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, AnswerTimeout)
	defer cancel()
	ctx, done := c.violations.watch(ctx, api("STREAM.INFO", config.Name), api("STREAM.UPDATE", config.Name))
	defer done(&err)
	s, err := c.js.Stream(ctx, config.Name)
	if err != nil {
		return err
	}
	found := s.CachedInfo().Config
	if found.MaxBytes == config.MaxBytes {
		return nil
	}
	found.MaxBytes = config.MaxBytes
	_, err = c.js.UpdateStream(ctx, found)
	return err
}

// streams returns the streams of a namespace. None allows direct gets: any replica answers those, also from
// the past.
func streams(name string, o InitOptions) []jetstream.StreamConfig {
	var all []jetstream.StreamConfig
	add := func(stream, subject string, change func(*jetstream.StreamConfig)) {
		config := jetstream.StreamConfig{
			Name: stream, Subjects: []string{subject}, Replicas: o.Replicas, Storage: jetstream.FileStorage,
			Discard: jetstream.DiscardNew, DenyDelete: true, MaxBytes: o.MaxBytes, MaxMsgSize: 1 << 20, MaxMsgs: -1, MaxMsgsPerSubject: -1,
		}
		if o.MaxBytes == 0 {
			config.MaxBytes = -1
		}
		if change != nil {
			change(&config)
		}
		all = append(all, config)
	}
	for shard := range o.Shards {
		add(fmt.Sprintf("%s_j_%02x", name, shard), fmt.Sprintf("%s.j.%02x.*", name, shard), nil)
		add(fmt.Sprintf("%s_b_%02x", name, shard), fmt.Sprintf("%s.b.%02x.>", name, shard), nil)
	}
	add(name+"_batch", name+".bt.>", func(c *jetstream.StreamConfig) { c.Subjects = append(c.Subjects, name+".bb.>") })
	add(name+"_tasks", name+".t.>", func(c *jetstream.StreamConfig) { c.Retention, c.DenyDelete = jetstream.WorkQueuePolicy, false })
	bucket := func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject, c.AllowRollup = 1, true }
	add("KV_"+name+"_index", "$KV."+name+"_index.>", bucket)
	add("KV_"+name+"_config", "$KV."+name+"_config.>", bucket)
	add("KV_"+name+"_hosts", "$KV."+name+"_hosts.>", func(c *jetstream.StreamConfig) {
		bucket(c)
		c.Storage, c.AllowMsgTTL, c.SubjectDeleteMarkerTTL, c.MaxBytes = jetstream.MemoryStorage, true, time.Minute, -1
	})
	return all
}

// Format reads the layout of a namespace.
func (c *Client) Format(ctx context.Context, name string) (Format, error) {
	var f Format
	n := Namespace{Name: name}
	m, err := c.Last(ctx, n.Format())
	if errors.Is(err, ErrNoMessage) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return f, fmt.Errorf("the namespace %s does not exist; make it with `parley store init`", name)
	}
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(m.Data, &f); err != nil || f.Shards < 1 || f.Shards > maxShards {
		return f, fmt.Errorf("the layout of the namespace %s is not readable: %s", name, m.Data)
	}
	if f.MinVersion > formatVersion {
		return f, fmt.Errorf("the namespace %s needs a newer version of this program, which knows layout %d", name, f.MinVersion)
	}
	return f, nil
}
