package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// models are the models that can be called, as models/list returns them.
type models struct {
	Models []struct {
		Name     string   `json:"name"`
		Provider string   `json:"provider"`
		Window   int      `json:"window"`
		Thinking []string `json:"thinking"`
	} `json:"models"`
	Default string `json:"default"`
	loaded  bool
}

// loadModels requests the models; with discover those of local servers, too.
func (m *Model) loadModels(discover bool) tea.Cmd {
	return request(m, "models/list", params{"discover": discover}, func(m *Model, result models, err error) tea.Cmd {
		if err != nil {
			return nil
		}
		m.models = result
		m.models.loaded = true
		if m.models.offline() && !discover {
			return m.loadModels(true)
		}
		return nil
	})
}

// offline reports whether no key and no server is configured, so that the demo answers.
func (s *models) offline() bool { return strings.HasPrefix(s.Default, "offline/") }

func (s *models) names() []string {
	names := make([]string, len(s.Models))
	for i, m := range s.Models {
		names[i] = m.Name
	}
	return names
}

// local returns the names of the models that need no key: those of servers on this machine.
func (s *models) local() []string {
	var names []string
	for _, m := range s.Models {
		if !strings.HasPrefix(m.Name, "offline/") && m.Provider != "offline" {
			names = append(names, m.Name)
		}
	}
	return names
}

// window returns the tokens of a model's context; 0: not known.
func (s *models) window(name string) int {
	for _, m := range s.Models {
		if m.Name == name {
			return m.Window
		}
	}
	return 0
}

// levels returns how much a model can reason.
func (s *models) levels(name string) []string {
	for _, m := range s.Models {
		if m.Name == name && len(m.Thinking) > 0 {
			return slices.Clone(m.Thinking)
		}
	}
	return reasoning
}
