// Package acp speaks the agent side of the Agent Client Protocol, version 1: JSON-RPC 2.0 lines over stdio, which editors
// start, with any number of sessions. Its sources are the JSON Schema of the official SDK and agentclientprotocol.com;
// docs/acp.md describes what both leave open.
package acp
