package engine

import "cmp"

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

// switchModel makes the model and the level of thinking those of the settings, where they count at once. What was learnt
// of the model before does not hold for another one. A model of a back end counts from the next turn on.
func (t *turn) switchModel() {
	if !t.s.opts.SwitchInTurn {
		return
	}
	settings := t.s.State().Settings
	if settings.Backend != "" {
		return
	}
	if name := cmp.Or(t.tuning.ModelName, settings.Model); name != t.model {
		t.model, t.window, t.affordable, t.cutAt, t.shorten = name, 0, 0, 0, false
	}
	t.thinking = cmp.Or(t.tuning.Thinking, settings.Thinking)
}
