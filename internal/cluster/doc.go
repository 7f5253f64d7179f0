// Package cluster makes this process a member of a namespace of NATS JetStream that several processes share, on
// one machine or on many. A member has a key in the bucket of hosts, which it renews: others regard it as gone
// when the key is. Members send each other requests.
//
// What members share is in other packages: journals in internal/journal/jetstream.
package cluster
