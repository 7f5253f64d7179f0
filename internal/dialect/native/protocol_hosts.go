package native

// A SessionOwner is what has a session: a host, or a process of this machine without one.
type SessionOwner struct {
	Host string `json:"host,omitzero"`
	Name string `json:"name,omitzero"` // of the machine of the host
	PID  int    `json:"pid,omitzero"`  // of the process
	Live bool   `json:"live"`          // if not, the session is free
}

// A RelayHost is the host to which this one relays a session.
type RelayHost struct {
	Host string `json:"host"`
	Name string `json:"name"` // of the machine
}
