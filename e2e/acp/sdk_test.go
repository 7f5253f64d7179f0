package acp

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/acp/acptest"
)

// TestSDK drives the program with the client side of the official SDK.
func TestSDK(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "sdk")
	f.run(t, f.node(t, "20"))
}

// TestOneSDK wants the SDK that drives the program to be the one whose schema is checked in: make acp-schema UPDATE=1 and
// sdk/package.json are changed together.
func TestOneSDK(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("sdk/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var about struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	const name = "@agentclientprotocol/sdk"
	for _, draft := range []string{acptest.V1, acptest.V1Unstable, acptest.V2} {
		schema, err := acptest.NewOfficial(draft)
		if err != nil {
			t.Fatal(err)
		}
		if used := name + " " + about.Dependencies[name] + ","; !strings.Contains(schema.Source(), used) {
			t.Errorf("%s is of %q, the tests use %s", draft, schema.Source(), used)
		}
	}
}
