package screen

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/tui/link"
)

// models are the models that can be called.
type models struct {
	link.Models
	discovered bool // those that servers list are among them
}

// loadModels requests the models; with discover those that servers list, too.
func (m *Model) loadModels(discover bool) tea.Cmd {
	return request(m, func(ctx context.Context, h Host) (link.Models, error) { return h.Models(ctx, discover) }, func(m *Model, result link.Models, err error) tea.Cmd {
		if err != nil {
			return nil // the list stays empty; what needs a model says why
		}
		if m.models.discovered && !discover {
			return nil
		}
		m.models = models{result, discover}
		if l, ok := m.panel.(*settingList); ok {
			l.renew(m)
		}
		if m.models.Demo() && !discover {
			return m.loadModels(true)
		}
		return nil
	})
}

func (s *models) names() []string {
	names := make([]string, len(s.Models.Models))
	for i, m := range s.Models.Models {
		names[i] = m.Name
	}
	return names
}

// local returns the models of servers, which need no key.
func (s *models) local() []string {
	var names []string
	for _, name := range s.names() {
		if !strings.HasPrefix(name, "offline/") {
			names = append(names, name)
		}
	}
	return names
}

// find returns what is known of a model.
func (s *models) find(name string) (link.Model, bool) {
	for _, m := range s.Models.Models {
		if m.Name == name {
			return m, true
		}
	}
	return link.Model{}, false
}

// window returns the tokens of a model's context; 0: not known.
func (s *models) window(name string) int {
	m, _ := s.find(name)
	return m.Window
}

// levels returns how much a model can reason.
func (s *models) levels(name string) []string {
	if m, ok := s.find(name); ok && len(m.Thinking) > 0 {
		return m.Thinking
	}
	return link.Levels
}
