// Package acp drives agents of the Agent Client Protocol, version 1: it is their client. Files and terminals are the agent's own.
// Source: https://agentclientprotocol.com.
package acp
