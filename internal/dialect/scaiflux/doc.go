// Package scaiflux speaks the ScaiFlux serve mode protocol, version 1: NDJSON over stdio,
// one process, one session. Its source is the document "Serve mode protocol"
// (reference/serve-protocol); what that leaves open is settled in docs/scaiflux.md.
package scaiflux
