package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// An Info is what a namespace consists of.
type Info struct {
	Namespace string       `json:"namespace"`
	Server    string       `json:"server"`  // name of the server that answers
	Version   string       `json:"version"` // of that server
	Format    Format       `json:"format"`
	Sessions  uint64       `json:"sessions"`
	Frames    uint64       `json:"frames"`
	Bytes     uint64       `json:"bytes"` // of all streams
	Streams   []StreamInfo `json:"streams"`

	answered time.Time // when the last stream was described, by the server's clock
	received time.Time // the same by that of this machine
	account  jetstream.Tier
}

// A StreamInfo is one stream of a namespace.
type StreamInfo struct {
	Name     string   `json:"name"`
	Subjects uint64   `json:"subjects"`
	Messages uint64   `json:"messages"`
	Bytes    uint64   `json:"bytes"`
	MaxBytes int64    `json:"max_bytes,omitzero"` // 0: no limit
	Replicas int      `json:"replicas"`
	Leader   string   `json:"leader,omitzero"`  // of a cluster
	Missing  []string `json:"missing,omitzero"` // replicas that are away or late

	direct bool // any replica answers
	alone  bool // there is no cluster
}

// Info returns what a namespace consists of.
func (c *Client) Info(ctx context.Context, name string) (Info, error) {
	info := Info{Namespace: name, Server: c.conn.ConnectedServerName(), Version: c.conn.ConnectedServerVersion()}
	var err error
	if info.Format, err = c.Format(ctx, name); err != nil {
		return info, err
	}
	for _, config := range streams(name, InitOptions{Shards: info.Format.Shards}) {
		s, err := c.describe(ctx, config.Name, &info)
		if err != nil {
			return info, fmt.Errorf("stream %s: %w", config.Name, err)
		}
		info.Streams = append(info.Streams, s)
		info.Bytes += s.Bytes
		if config.Subjects[0] == fmt.Sprintf("%s.j.%s.*", name, config.Name[len(config.Name)-2:]) {
			info.Sessions += s.Subjects
			info.Frames += s.Messages
		}
	}
	info.account = c.account(ctx)
	return info, nil
}

// account returns what the account of the connection has and may have, as far as it is known.
func (c *Client) account(ctx context.Context) (_ jetstream.Tier) {
	var err error
	ctx, done := c.violations.watch(ctx, "$JS.API.INFO")
	defer done(&err)
	account, err := c.js.AccountInfo(ctx)
	if err != nil {
		return jetstream.Tier{}
	}
	return account.Tier
}

// describe returns one stream.
func (c *Client) describe(ctx context.Context, name string, info *Info) (_ StreamInfo, err error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerTimeout)
	defer cancel()
	ctx, done := c.violations.watch(ctx, api("STREAM.INFO", name))
	defer done(&err)
	sent := time.Now()
	s, err := c.js.Stream(ctx, name)
	if err != nil {
		return StreamInfo{}, err
	}
	found := s.CachedInfo()
	info.answered, info.received = found.TimeStamp, sent.Add(time.Since(sent)/2)
	d := StreamInfo{
		Name: name, Subjects: found.State.NumSubjects, Messages: found.State.Msgs, Bytes: found.State.Bytes,
		MaxBytes: max(0, found.Config.MaxBytes), Replicas: found.Config.Replicas, direct: found.Config.AllowDirect, alone: found.Cluster == nil,
	}
	if found.Cluster != nil {
		d.Leader = found.Cluster.Leader
		for _, peer := range found.Cluster.Replicas {
			if peer.Offline || !peer.Current {
				d.Missing = append(d.Missing, peer.Name)
			}
		}
	}
	return d, nil
}

// Skew returns how far the clock of the server is ahead of that of this machine.
func (i Info) Skew() time.Duration { return i.answered.Sub(i.received) }

// Subjects returns the subjects of a stream that have messages; subject is one with wildcards.
func (c *Client) Subjects(ctx context.Context, subject string) (_ []string, err error) {
	ctx, done := c.violations.watch(ctx, api("STREAM.INFO", streamOf(subject)))
	defer done(&err)
	s, err := c.stream(ctx, subject)
	if err != nil {
		return nil, err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return nil, err
	}
	var all []string
	for found := range info.State.Subjects {
		all = append(all, found)
	}
	return all, nil
}

// A Lister is a Server that knows which subjects have messages.
type Lister interface {
	Subjects(ctx context.Context, subject string) ([]string, error)
}

// ErrNoList is the error of a server that is no Lister.
var ErrNoList = errors.New("the subjects of this store cannot be listed")
