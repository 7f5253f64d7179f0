package stream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Report is what is known about the state of a namespace.
type Report struct {
	OK           bool      `json:"ok"`
	Server       string    `json:"server"` // name and version
	Replicas     int       `json:"replicas"`
	Shards       int       `json:"shards"`
	AppendP50    int64     `json:"append_p50_us"`
	AppendP99    int64     `json:"append_p99_us"`
	Unmeasured   string    `json:"unmeasured,omitzero"` // why nothing was appended: the user must not; "": it was
	ClockSkew    int64     `json:"clock_skew_ms"`       // of the server, compared with this machine
	SyncInterval string    `json:"sync_interval"`       // always, a duration, or unknown
	Problems     []Problem `json:"problems"`
}

// A Problem is something in the state of a namespace that needs the user. The code is for programs.
type Problem struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// The codes of problems.
const (
	ProblemUnreachable = "unreachable"      // no server answers
	ProblemPermission  = "permission"       // the user must not read the namespace
	ProblemNamespace   = "namespace"        // it was not made, or is of another version
	ProblemStream      = "stream_missing"   // a stream of the namespace does not answer
	ProblemMajority    = "no_majority"      // a stream has no leader
	ProblemReplicas    = "replicas_missing" // a stream has fewer replicas than the namespace should
	ProblemDirect      = "direct_get"       // replicas answer from the past
	ProblemFull        = "nearly_full"
	ProblemSync        = "sync_interval" // a power failure can lose what was acknowledged
	ProblemMonitor     = "monitor"       // the monitoring port does not answer
	ProblemVersion     = "version"       // the server is too old
	ProblemSkew        = "clock_skew"
	ProblemAppend      = "append" // messages cannot be stored
)

const (
	// fullShare is the part of a limit, in percent, from which on a stream is nearly full.
	fullShare = 80
	// maxSkew is the difference of clocks from which on the end of a lease is noticed late.
	maxSkew = 5 * time.Second
	// sampleSize is how many messages are measured, and sampleLimit for how long at most.
	sampleSize  = 200
	sampleLimit = 5 * time.Second
	sampleBytes = 300
	unknownSync = "unknown"
	alwaysSync  = "always"
)

// Check examines a namespace, and measures how long a message takes until it is stored. monitor is the address
// of the monitoring port of a server, which alone knows when files are synced; "": that remains unknown.
func Check(ctx context.Context, a Address, o ConnectOptions, monitor string) Report {
	r := Report{SyncInterval: unknownSync, Problems: []Problem{}}
	if monitor != "" {
		r.checkSync(ctx, monitor)
	}
	c, err := Dial(a, o)
	if err != nil {
		r.problem(ProblemUnreachable, "%s: %v", a, err)
		return r
	}
	defer c.Close()
	r.Server = c.conn.ConnectedServerName() + " " + c.conn.ConnectedServerVersion()
	r.checkVersion(c.conn.ConnectedServerVersion())
	info, err := c.Info(ctx, a.Namespace)
	r.Replicas, r.Shards = info.Format.Replicas, info.Format.Shards
	if err != nil {
		r.problem(codeOf(info, err), "%v", err)
		return r
	}
	r.checkStreams(info)
	r.ClockSkew = info.Skew().Milliseconds()
	if skew := info.Skew().Abs(); skew > maxSkew {
		r.problem(ProblemSkew, "the clocks of the server and of this machine differ by %s", skew.Round(time.Millisecond))
	}
	r.measure(ctx, c, a.Namespace)
	r.OK = len(r.Problems) == 0
	return r
}

func (r *Report) problem(code, format string, args ...any) {
	r.Problems = append(r.Problems, Problem{code, fmt.Sprintf(format, args...)})
}

// codeOf returns the code of an error of Info.
func codeOf(info Info, err error) string {
	api, isAPI := errors.AsType[*jetstream.APIError](err)
	_, denied := errors.AsType[*PermissionError](err)
	switch {
	case denied:
		return ProblemPermission
	case errors.Is(err, context.DeadlineExceeded), isAPI && api.Code == 503:
		return ProblemMajority
	case info.Format.Shards == 0:
		return ProblemNamespace
	}
	return ProblemStream
}

// minServer is the oldest version of the server whose keys expire.
var minServer = [2]int{2, 12}

func (r *Report) checkVersion(version string) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return
	}
	major, err := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	if err == nil && err2 == nil && slices.Compare([]int{major, minor}, minServer[:]) < 0 {
		r.problem(ProblemVersion, "the server has version %s; at least %d.%d is needed", version, minServer[0], minServer[1])
	}
}

func (r *Report) checkStreams(info Info) {
	for _, s := range info.Streams {
		switch {
		case !s.alone && s.Leader == "":
			r.problem(ProblemMajority, "stream %s has no leader: most of its servers are away", s.Name)
		case len(s.Missing) > 0:
			r.problem(ProblemReplicas, "stream %s lacks %s", s.Name, strings.Join(s.Missing, ", "))
		case s.Replicas < info.Format.Replicas:
			r.problem(ProblemReplicas, "stream %s has %d replicas instead of %d", s.Name, s.Replicas, info.Format.Replicas)
		}
		if s.direct {
			r.problem(ProblemDirect, "stream %s allows direct gets, which answer from the past", s.Name)
		}
		if s.MaxBytes > 0 && s.Bytes >= uint64(s.MaxBytes)/100*fullShare {
			r.problem(ProblemFull, "stream %s has %d of %d bytes", s.Name, s.Bytes, s.MaxBytes)
		}
	}
	if limit := info.account.Limits.MaxStore; limit > 0 && info.account.Store >= uint64(limit)/100*fullShare {
		r.problem(ProblemFull, "the account has %d of %d bytes", info.account.Store, limit)
	}
}

// measure publishes messages one after the other, and removes them.
func (r *Report) measure(ctx context.Context, c *Client, name string) {
	ctx, cancel := context.WithTimeout(ctx, sampleLimit)
	defer cancel()
	n := Namespace{Name: name}
	m := &Message{Subject: n.Probe(rand.Text()), Data: make([]byte, sampleBytes)}
	defer func() {
		if r.Unmeasured != "" {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), AnswerTimeout)
		defer cancel()
		_ = c.Purge(ctx, m.Subject, AnySequence-1) // one that remains has 300 bytes
	}()
	var times []time.Duration
	var after uint64
	for range sampleSize {
		sent := time.Now()
		seq, err := c.Publish(ctx, m, after)
		if errors.Is(err, ErrNotApplied) {
			continue
		}
		if denied, ok := errors.AsType[*PermissionError](err); ok {
			r.Unmeasured = denied.Error()
			return
		}
		if err != nil {
			if len(times) == 0 || ctx.Err() == nil {
				r.problem(ProblemAppend, "a message could not be stored: %v", err)
			}
			break
		}
		times, after = append(times, time.Since(sent)), seq
	}
	if len(times) > 0 {
		slices.Sort(times)
		r.AppendP50, r.AppendP99 = times[len(times)/2].Microseconds(), times[len(times)*99/100].Microseconds()
	}
}
