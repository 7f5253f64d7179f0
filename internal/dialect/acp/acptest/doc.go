// Package acptest checks frames of the Agent Client Protocol against the schema that the protocol publishes. It is for tests
// only: those of the dialect and those of the built program. It knows nothing of the dialect's own types.
//
// The schemas in schema are those of the official SDK without their prose; make acp-schema compares them with the newest ones.
package acptest
