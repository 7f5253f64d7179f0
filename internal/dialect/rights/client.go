package rights

import (
	"parley.dev/parley/internal/engine"
)

// A Client is what a client of the network may do. A nil Client may do everything: it is the user.
type Client struct {
	level Level
	host  *engine.Host
	audit func(Entry)
}

// An Entry is what the audit log has of a request.
type Entry struct {
	Method  string
	Session string // "": it is of none
	Problem string // why it was refused; "": it was not
}

// New returns what a client with a role may do that reaches sessions through host. Audit is called with each request that
// is refused, or that only an owner may make.
func New(role string, host *engine.Host, audit func(Entry)) *Client {
	level := levelOf(role)
	if level == Owner && !host.Limited() {
		level = User
	}
	return &Client{level, host, audit}
}

// May reports whether the client has a level.
func (c *Client) May(l Level) bool { return c == nil || c.level >= l }

// IsUser reports whether the client may act as the user.
func (c *Client) IsUser() bool { return c.May(User) }

// Covers reports whether a file or a folder, an absolute path, is within what the client can reach.
func (c *Client) Covers(path string) bool { return c == nil || c.host.CoversPath(path) }

// Check returns why the client must not do what needs this: the most that it lacks. Nil: it may.
func (c *Client) Check(method string, needs ...Need) *Refusal {
	if c.IsUser() {
		return nil
	}
	var refusal, outside *Refusal
	var least Level
	for _, n := range needs {
		least = max(least, n.Level)
		if !c.May(n.Level) && (refusal == nil || n.Level > refusal.Needs) {
			refusal = &Refusal{Method: method, What: n.What, Needs: n.Level}
		}
		if outside == nil {
			outside = c.outside(method, n)
		}
	}
	if outside == nil || refusal != nil && refusal.Needs == User { // the user reaches everything
		return refusal
	}
	outside.Needs, outside.Lacks = least, refusal != nil
	return outside
}

// outside returns why what a request names is outside of what the client can reach; nil: it is not.
func (c *Client) outside(method string, n Need) *Refusal {
	if n.Path != "" && !c.Covers(n.Path) {
		return &Refusal{Method: method, What: n.What, Path: n.Path}
	}
	if n.Folder == "" {
		return nil
	}
	within, outside := c.host.Excludes(n.Folder)
	if !outside {
		return nil
	}
	return &Refusal{Method: method, What: n.What, Folder: n.Folder, Within: within}
}

// Refused adds a refusal to the audit log.
func (c *Client) Refused(r *Refusal, session string) {
	c.write(Entry{Method: r.Method, Session: session, Problem: r.Error()})
}

func (c *Client) write(e Entry) {
	if c != nil && c.audit != nil {
		c.audit(e)
	}
}
