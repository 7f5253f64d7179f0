package host

import (
	"net"

	"parley.dev/parley/internal/host/audit"
	"parley.dev/parley/internal/text"
)

// auditedText is how many bytes of a text of the client's are logged.
const auditedText = 200

// audit logs what a client of the socket did, except if there is no log.
func (h *Host) audit(conn net.Conn, p Preamble, event, problem string) {
	if h.o.Audit == nil {
		return
	}
	short := func(s string) string { return text.Clip(s, auditedText, "…") }
	e := audit.Entry{Event: event, Dialect: short(p.Dialect), Client: short(p.Client), PID: peerPID(conn), Problem: short(problem)}
	if uid, known := peerUID(conn); known {
		e.UID = &uid
	}
	if err := h.o.Audit.Add(e); err != nil {
		h.o.Log.Error("audit log not written", "error", err)
	}
}
