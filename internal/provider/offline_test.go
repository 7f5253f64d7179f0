package provider

import (
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/model"
)

// TestReportedDemo: that the demo answers is reported, once, where it does because nothing is configured, and nowhere else.
func TestReportedDemo(t *testing.T) {
	for name, test := range map[string]struct {
		settings config.Settings
		env      []string
		want     int
	}{
		"nothing is configured": {want: 1},
		"it is the setting":     {settings: config.Settings{Model: DemoModel}},
		"another can be called": {env: []string{"OPENAI_API_KEY", "sk-secret"}},
	} {
		t.Run(name, func(t *testing.T) {
			reports := 0
			r := New(Options{Settings: test.settings, Getenv: configtest.Environment(test.env...), Warn: func(string) { reports++ }})
			for range 2 {
				m, err := r.Resolve(DemoModel)
				if err != nil {
					t.Fatal(err)
				}
				for _, err := range m.Provider.Stream(t.Context(), &model.Request{}) {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			if reports != test.want {
				t.Errorf("%d reports, want %d", reports, test.want)
			}
		})
	}
}
