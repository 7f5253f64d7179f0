package engine

import "parley.dev/parley/internal/model"

// Model returns the model that the next step calls. A *model.Error if there is none.
func (s *Session) Model() (model.Info, error) {
	m, err := s.host.cfg.Models.Resolve(s.State().Settings.Model)
	return m.Info, err
}

// resolve returns the model of the turn, with the smallest window that is known for it.
func (t *turn) resolve() (Model, error) {
	m, err := t.s.host.cfg.Models.Resolve(t.model)
	for _, window := range []int{t.tuning.Window, t.window} {
		if window > 0 && (window < m.Info.ContextWindow || m.Info.ContextWindow == 0) {
			m.Info.ContextWindow = window
		}
	}
	return m, err
}
