package engine

import (
	"cmp"

	"parley.dev/parley/internal/event"
)

// This file contains which back end a session has: that of its model.

// chooseBackend makes the back end and the model of a new session agree. Its settings may name either of them; standard is the
// back end of sessions that name none, whose models of providers become that back end's.
func (h *Host) chooseBackend(s *event.Settings, standard string) {
	owner := h.cfg.BackendOf(s.Model)
	s.Backend = cmp.Or(s.Backend, owner, standard)
	if s.Backend != "" && (owner != s.Backend || s.Model == "") {
		s.Model = h.cfg.BackendModel(s.Backend)
	}
}

// followModel makes the back end that of the model, if the model has changed, and the model one of the back end, if only the back
// end has.
func (h *Host) followModel(now *event.Settings, before event.Settings) {
	owner := h.cfg.BackendOf(now.Model)
	switch {
	case now.Backend != before.Backend && now.Backend != "":
		if owner != now.Backend {
			now.Model = h.cfg.BackendModel(now.Backend)
		}
	case now.Backend != before.Backend:
		if now.Model == before.Model && owner != "" {
			now.Model = ""
		}
		now.Backend = h.cfg.BackendOf(now.Model)
	case now.Model != before.Model:
		now.Backend = owner
	}
}
