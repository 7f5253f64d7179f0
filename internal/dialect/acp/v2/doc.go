// Package v2 has the wire types of the draft of version 2 of the Agent Client Protocol, as far as they differ from those of
// version 1. Its source is the JSON Schema of the official SDK, which may still change.
package v2

// ProtocolVersion is the version of the protocol that the types of this package are of.
const ProtocolVersion = 2
