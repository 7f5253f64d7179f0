package openai

import (
	"testing"

	"parley.dev/parley/internal/model"
)

// TestResultText: a result of images alone does not claim that there was no output.
func TestResultText(t *testing.T) {
	picture := []model.Image{{MIME: "image/png"}}
	for _, test := range []struct {
		result model.Result
		want   string
	}{
		{model.Result{}, noOutput},
		{model.Result{Images: picture}, onlyImages},
		{model.Result{Text: "a", Images: picture}, "a"},
	} {
		if got := resultText(&test.result); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
