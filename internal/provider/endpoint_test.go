package provider

import (
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
)

// TestKnowsImages checks that a picture is tried where only the list of an endpoint has the model.
func TestKnowsImages(t *testing.T) {
	no := false
	r := New(Options{Settings: config.Settings{Providers: map[string]config.ProviderSettings{"lab": {
		BaseURL: listServer(t, "llava", "blind") + "/v1", Models: map[string]config.ModelSettings{"blind": {Images: &no}},
	}}}, Getenv: configtest.Environment("MISTRAL_API_KEY", "k")})
	for name, want := range map[string]bool{"lab/llava": false, "lab/blind": true, "mistral/mistral-large-latest": true, DemoModel: true} {
		found, err := r.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		e, _ := r.EndpointOf(found.Info)
		if got := r.KnowsImages(e, found.Info.ID); got != want || !found.Info.Known {
			t.Errorf("%s: whether it takes pictures is known: %v, want %v", name, got, want)
		}
	}
}
