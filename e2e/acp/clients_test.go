package acp

import "testing"

// TestClients drives the program with clients that others publish: acpx, acp-factory and a provider of the AI SDK. Each speaks ACP
// by an older version of the SDK, so that what they accept is not what we tested last.
func TestClients(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "clients")
	f.run(t, f.node(t, "20"))
}
