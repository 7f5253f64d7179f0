package peer

import (
	"context"
	"time"

	"parley.dev/parley/internal/cluster/tunnel"
)

// A Member is this process among those that share a store. What is set must be set before it is used.
type Member interface {
	// Owner returns the name of this process among all that have ever been members: HOST.INCARNATION.
	Owner() string
	// HostName returns the name of the machine.
	HostName() string
	// Open connects the store. The process is in no list yet.
	Open(ctx context.Context) error
	// Enter connects the store and has others list the process.
	Enter(ctx context.Context) error
	// Fresh reports whether the servers of the store have answered lately.
	Fresh() bool

	// Hosts returns the hosts, sorted.
	Hosts(ctx context.Context) ([]Host, error)
	// FindHost returns the live host of an id, which may have its incarnation, or ErrNoHost.
	FindHost(ctx context.Context, id string) (Host, error)
	// Live reports whether a process still runs.
	Live(ctx context.Context, owner string) (bool, error)

	// Describe sets what the member publishes about itself.
	Describe(describe func() Description)
	// Announce publishes the description soon: it has changed.
	Announce()
	// OnReplaced adds a function that is called when another process uses the id of this host.
	OnReplaced(f func())
	// OnRenewal adds a function that is called when the servers have noted that this process runs, with the time of the request.
	OnRenewal(f func(sent time.Duration))

	// Handle sets what answers the requests of a verb.
	Handle(verb string, h func(argument string) (answer string))
	// Call sends a request to a process and returns its answer.
	Call(ctx context.Context, owner, verb, argument string) (string, error)
	// OpenTunnel opens a tunnel to a process. The error is a *RefusedError if that takes none.
	OpenTunnel(ctx context.Context, owner string, v Visitor) (*tunnel.Conn, error)
	// ServeTunnels sets what takes the tunnels of other members.
	ServeTunnels(check func(Visitor) error, serve func(Visitor, *tunnel.Conn))
}
