package engine

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
