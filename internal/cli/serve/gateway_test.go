package serve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/provider"
)

func TestGatewayOf(t *testing.T) {
	got := gatewayOf(scaiflux.Credentials{
		BaseURL: "https://grid.example/", APIKey: "sgk_live_x", Model: "lab/omni",
		Models: []scaiflux.GatewayModel{{ID: "lab/omni", ContextWindow: 256_000, MaxOutputTokens: 8_000}},
	})
	want := provider.Gateway{
		Name: "scaigrid", BaseURL: "https://grid.example/oai/v1", Key: "sgk_live_x", Model: "lab/omni",
		Models: map[string]model.Info{"lab/omni": {ContextWindow: 256_000, MaxOutput: 8_000}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
