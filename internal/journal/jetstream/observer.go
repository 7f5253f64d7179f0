package jetstream

import (
	"strings"
	"time"

	"parley.dev/parley/internal/stream"
)

// An Observer receives what a store does, for metrics. Its methods return at once, and are called by several goroutines.
type Observer interface {
	// FrameSubmitted reports the outcome of a frame, and how long it was unknown; records: it has some, and is no claim, release
	// or removal.
	FrameSubmitted(records bool, o stream.Outcome, took time.Duration)
	// SessionClaimed reports that the store has become the owner of a session that existed.
	SessionClaimed(ClaimReason)
	// SessionLost reports that another process has become the owner of a session of this store.
	SessionLost()
}

// A ClaimReason is why a session could be claimed.
type ClaimReason string

// The reasons.
const (
	ClaimReleased  ClaimReason = "released"  // it had no owner
	ClaimGone      ClaimReason = "gone"      // the host of its owner is gone
	ClaimRestarted ClaimReason = "restarted" // its owner was an earlier process of this host
	ClaimUnknown   ClaimReason = "unknown"   // its owner lives and does not have it
	ClaimOwn       ClaimReason = "own"       // this process was its owner, and its release is not stored
)

// ClaimReasons are all reasons.
var ClaimReasons = []ClaimReason{ClaimReleased, ClaimGone, ClaimRestarted, ClaimUnknown, ClaimOwn}

// Observe sets the observer of the store. It must be called before the store is used.
func (s *Store) Observe(o Observer) { s.observer = o }

// claimAfter returns the reason of a claim after an owner that does not live.
func (s *Store) claimAfter(owner string) ClaimReason {
	host, _, _ := strings.Cut(s.member.Owner(), ".")
	if strings.HasPrefix(owner, host+".") {
		return ClaimRestarted
	}
	return ClaimGone
}

// A noObserver ignores everything.
type noObserver struct{}

func (noObserver) FrameSubmitted(bool, stream.Outcome, time.Duration) {}
func (noObserver) SessionClaimed(ClaimReason)                         {}
func (noObserver) SessionLost()                                       {}
