package approval

import (
	"cmp"
	"fmt"
	"path/filepath"
)

// A Containment decides about calls by two settings: what the sandbox allows, and which calls need
// approval. It is the alternative to a Policy, which has modes and rules.
type Containment struct {
	Asking   Asking
	Sandbox  Sandbox
	Dir      string    // the folder in which calls work; absolute, symlinks resolved
	Temp     []string  // the temporary folders; absolute, symlinks resolved
	Confines bool      // this machine can confine commands
	Foreign  bool      // a program that the command names is not the system's: it is not Trusted
	Grants   *GrantSet // the grants of the session; nil: none
}

// A Decision is a Verdict on a call with its reason.
type Decision struct {
	Verdict Verdict
	Reason  string // of Ask and Deny, for users and models; "" for Allow
	// Lifted reports that the call runs without the limits of the sandbox, since the user approved
	// exactly this call before. A call that needs approval and gets it has no limits either.
	Lifted bool
	// Granted reports that a grant covers the call, and neither the settings nor the user have allowed exactly this one.
	Granted bool
}

// Decide returns the decision on r. A request of several operations, such as a fetch that also
// writes a file, gets the strictest of their decisions. With AskNever the verdict is never Ask,
// and grants from a time with another setting are ignored.
func (c Containment) Decide(r Request) Decision {
	if !c.Asking.Known() {
		return Decision{Verdict: Deny, Reason: fmt.Sprintf("unknown way of asking %q", c.Asking)}
	}
	if !c.Sandbox.Kind.Known() {
		return Decision{Verdict: Deny, Reason: fmt.Sprintf("unknown kind of sandbox %q", c.Sandbox.Kind)}
	}
	if c.Asking != AskNever && c.Grants.Covers(r) {
		return Decision{Verdict: Allow, Lifted: true, Granted: true}
	}
	worst, strictest := operation{}, Decision{Verdict: Allow}
	for _, o := range c.operations(r) {
		d := o.decide(c.Asking)
		// Of two that need approval, the reason of the one that the sandbox forbids says more.
		if stricter(d.Verdict, strictest.Verdict) || d.Verdict == strictest.Verdict && worst.refusal == "" && o.refusal != "" {
			worst, strictest = o, d
		}
	}
	return strictest
}

// The reasons that say no more than what kind of call it is.
const (
	reasonServer        = "tools of servers need approval"
	reasonServerChanges = "the tool of a server may change something"
	reasonUnconfined    = "the sandbox does not confine tool servers, and no approval is requested: only tools that are marked as read-only, " +
		"and those of servers with \"trusted\": true in the user's configuration, may run"
	reasonBare           = "this machine cannot confine commands (`parley doctor` says why): choose full access, or let a client approve them"
	reasonCommand        = "commands need approval"
	reasonCommandChanges = "not a read-only command"
	reasonEscalate       = "the command is to run outside of the sandbox"
	reasonFetch          = "fetch needs approval"
	reasonEdit           = "edit needs approval"
)

// Routine reports whether the reason of a Decision says no more than what kind of call it is: a user who sees the call knows
// it.
func Routine(reason string) bool {
	switch reason {
	case "", reasonServer, reasonServerChanges, reasonCommand, reasonCommandChanges, reasonFetch, reasonEdit:
		return true
	}
	return false
}

// An operation is one thing that a call does: a row of the matrix, with the sandbox in it.
type operation struct {
	needs      Asking // the least strict setting that needs approval for it: AskUnlessTrusted or AskAlways; "": none
	reason     string // why approval is requested
	refusal    string // why AskNever refuses it; "" if it runs
	unconfined bool   // there is a sandbox, and it does not apply to this: AskOnRequest needs approval
}

func (o operation) decide(a Asking) Decision {
	switch {
	case a == AskNever && o.refusal != "":
		return Decision{Verdict: Deny, Reason: o.refusal}
	case a == AskOnRequest && (o.needs == AskAlways || o.refusal == "" && !o.unconfined):
		return Decision{Verdict: Allow}
	case a == AskNever, o.needs == "", a == AskUnlessTrusted && o.needs == AskAlways:
		return Decision{Verdict: Allow}
	}
	return Decision{Verdict: Ask, Reason: o.reason}
}

// stricter reports whether a is stricter than b; the order is Deny, Ask, Allow.
func stricter(a, b Verdict) bool {
	return a != b && (a == Deny || b == Allow)
}

// operations returns everything that r does.
func (c Containment) operations(r Request) []operation {
	if !r.levelled() {
		return []operation{c.unknown()}
	}
	var all []operation
	if r.Server != "" {
		all = append(all, c.serverTool(r))
	}
	if r.Command != "" {
		all = append(all, c.command(r))
	}
	if r.URL != "" {
		all = append(all, c.fetch())
	}
	named := len(all) > 0
	if !named && r.Level == Execute {
		all = append(all, c.unknown())
	}
	for _, p := range r.Paths {
		switch {
		case p.Write:
			all = append(all, c.edit(p))
		case p.Protected:
			all = append(all, c.readProtected(p))
		}
	}
	if !named && r.Level == Write && len(r.Paths) > 0 && !writes(r) {
		// It is not known which of the paths are written.
		for _, p := range r.Paths {
			all = append(all, c.edit(p))
		}
	}
	return all // empty for reading and searching, and for the session's own notes
}

// unknown returns the operation of a call that does not say what it does.
func (c Containment) unknown() operation {
	o := operation{needs: AskUnlessTrusted, reason: "the call does not say what it does"}
	if c.Sandbox.Confining() {
		o.refusal = o.reason
	}
	return o
}

// serverTool returns the operation of a call to a tool of a server. The sandbox does not apply
// there; Read is the server's own promise that the tool only reads.
func (c Containment) serverTool(r Request) operation {
	if r.Level == Read {
		return operation{needs: AskAlways, reason: reasonServer}
	}
	o := operation{needs: AskUnlessTrusted, reason: reasonServerChanges, unconfined: c.Sandbox.Confining()}
	if o.unconfined && !r.Trusted {
		o.refusal = reasonUnconfined
	}
	return o
}

// command returns the operation of a shell line. With AskNever and AskOnRequest it runs confined,
// and the operating system refuses what is not allowed; where the machine cannot confine it, AskNever
// refuses it. One that the model requests to run outside of the sandbox always needs approval.
func (c Containment) command(r Request) operation {
	if r.Escalate && c.Sandbox.Confining() {
		return operation{needs: AskUnlessTrusted, reason: reasonEscalate, refusal: reasonEscalate, unconfined: true}
	}
	bare := c.Sandbox.Confining() && !c.Confines
	refusal := ""
	if bare {
		refusal = reasonBare
	}
	if !c.Foreign && Trusted(r.Command) {
		return operation{needs: AskAlways, reason: reasonCommand, refusal: refusal}
	}
	o := operation{needs: AskUnlessTrusted, reason: reasonCommandChanges, refusal: refusal, unconfined: bare}
	if r.Unconfined && c.Sandbox.Confining() {
		o.unconfined, o.refusal = true, cmp.Or(refusal, "the command may run outside of the sandbox")
	}
	return o
}

func (c Containment) fetch() operation {
	if !c.Sandbox.Networked() {
		const closed = "the sandbox allows no network"
		return operation{needs: AskUnlessTrusted, reason: closed, refusal: closed}
	}
	return operation{needs: AskUnlessTrusted, reason: reasonFetch}
}

func (c Containment) edit(p Path) operation {
	switch {
	case c.Sandbox.Kind == SandboxReadOnly:
		return operation{needs: AskUnlessTrusted, reason: "the sandbox is read-only", refusal: "read-only sandbox"}
	case c.Sandbox.Confining() && !c.opens(p):
		return operation{
			needs: AskUnlessTrusted, reason: "writes outside the workspace: " + p.Path, refusal: "writing outside the workspace",
		}
	}
	return operation{needs: AskUnlessTrusted, reason: reasonEdit}
}

// readProtected returns the operation of reading a protected path: the program's own state.
func (c Containment) readProtected(p Path) operation {
	o := operation{needs: AskUnlessTrusted, reason: "reads the program's own state: " + p.Path}
	if c.Sandbox.Confining() {
		o.refusal = "reading the program's own state"
	}
	return o
}

// opens reports whether the sandbox opens p for writing.
func (c Containment) opens(p Path) bool {
	if p.Protected {
		return false
	}
	for _, roots := range [][]string{{c.Dir}, c.Sandbox.Roots, c.Temp} {
		for _, root := range roots {
			if below(root, p.Path) {
				return true
			}
		}
	}
	return false
}

// below reports whether path is root or below it. It compares the texts, by whole components and
// after cleaning: the caller has resolved symlinks, and on a file system that ignores case has
// names in the spelling of the system.
func below(root, path string) bool {
	rel, err := filepath.Rel(root, path) // an error if only one of them is absolute
	return err == nil && filepath.IsAbs(path) && filepath.IsLocal(rel)
}

func writes(r Request) bool {
	for _, p := range r.Paths {
		if p.Write {
			return true
		}
	}
	return false
}
