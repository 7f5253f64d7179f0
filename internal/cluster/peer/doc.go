// Package peer is what the hosts that share a store know of each other, as values, and what they can do with each other: what serves
// clients does not link what connects hosts.
package peer
