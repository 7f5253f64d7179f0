package cluster

import (
	"context"

	"parley.dev/parley/internal/cluster/peer"
)

// What members know of each other; see package peer.
type (
	Description  = peer.Description
	Host         = peer.Host
	Visitor      = peer.Visitor
	RefusedError = peer.RefusedError
)

// ErrNoHost reports that no live host has an id.
var ErrNoHost = peer.ErrNoHost

var _ peer.Member = (*Member)(nil)

// Open implements peer.Member.
func (m *Member) Open(ctx context.Context) error {
	_, err := m.Connect(ctx)
	return err
}

// Enter implements peer.Member.
func (m *Member) Enter(ctx context.Context) error {
	_, err := m.Join(ctx)
	return err
}
