package address

// A Connection is how a store is connected.
type Connection struct {
	CredentialsFile string // nkey and JWT; "": none
	CAFile          string // certificates of servers; "": those of the system
	CertFile        string // of the client; "": none
	KeyFile         string
	Role            string // that the use of the connection needs; "": RoleHost
	// Insecure permits connections to other machines without TLS.
	Insecure bool
}

// UsesTLS reports whether the options set up TLS.
func (c Connection) UsesTLS() bool { return c.CAFile != "" || c.CertFile != "" }

// The names of roles. A connection has the inbox of the role that its command needs: a user that may receive the answers
// to another one could read what it reads.
const (
	RoleHost      = "host"
	RoleSubmitter = "submitter"
	RoleViewer    = "viewer"
)
