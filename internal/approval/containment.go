package approval

import (
	"fmt"
	"path/filepath"
)

// A Containment decides calls by two things at once: what the sandbox allows, and for what
// a person is asked. It is the other way to decide beside a Policy, which knows modes and rules.
type Containment struct {
	Asking   Asking
	Sandbox  Sandbox
	Dir      string   // where calls work; absolute, symlinks resolved
	Temp     []string // the temporary folders; absolute, symlinks resolved
	Confines bool     // this machine can confine commands
	Grants   *Grants  // what was approved for the session; nil: nothing
}

// A Decision is what becomes of a call, and why.
type Decision struct {
	Verdict Verdict
	Reason  string // why it is asked or refused, for people and models; "" for Allow
	// Lifted: the call runs without the sandbox's limits, since a person has approved this very
	// call before. A call that is asked for and then approved has no limits either.
	Lifted bool
}

// Decide says whether r may run. A request that is several things at once, such as a
// fetch that also writes a file, gets the strictest of their decisions. With AskNever there
// is no Ask, and grants of an earlier time, when somebody was asked, do not count.
func (c Containment) Decide(r Request) Decision {
	switch c.Asking {
	case AskNever, AskUnlessTrusted, AskAlways:
	default:
		return Decision{Verdict: Deny, Reason: fmt.Sprintf("unknown way of asking %q", c.Asking)}
	}
	switch c.Sandbox.Kind {
	case SandboxReadOnly, SandboxWorkspace, SandboxExternal, SandboxNone:
	default:
		return Decision{Verdict: Deny, Reason: fmt.Sprintf("unknown kind of sandbox %q", c.Sandbox.Kind)}
	}
	if c.Asking != AskNever && c.Grants.Covers(r) {
		return Decision{Verdict: Allow, Lifted: true}
	}
	worst, strictest := operation{}, Decision{Verdict: Allow}
	for _, o := range c.operations(r) {
		d := o.decide(c.Asking)
		// Of two that are asked for, the one that the sandbox forbids says more.
		if stricter(d.Verdict, strictest.Verdict) || d.Verdict == strictest.Verdict && worst.refusal == "" && o.refusal != "" {
			worst, strictest = o, d
		}
	}
	return strictest
}

// An operation is one thing that a call does: a row of the matrix, with the sandbox in it.
type operation struct {
	asked   Asking // the least way of asking that asks for it: AskUnlessTrusted or AskAlways; "": none does
	reason  string // why it is asked for
	refusal string // why AskNever refuses it; "" if it runs
}

func (o operation) decide(a Asking) Decision {
	switch {
	case a == AskNever && o.refusal != "":
		return Decision{Verdict: Deny, Reason: o.refusal}
	case a == AskNever, o.asked == "", a == AskUnlessTrusted && o.asked == AskAlways:
		return Decision{Verdict: Allow}
	}
	return Decision{Verdict: Ask, Reason: o.reason}
}

// stricter says whether a beats b: Deny beats Ask, Ask beats Allow.
func stricter(a, b Verdict) bool {
	return a != b && (a == Deny || b == Allow)
}

// operations is all that r does.
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
			all = append(all, c.look(p))
		}
	}
	if !named && r.Level == Write && len(r.Paths) > 0 && !writes(r) {
		// Something is written, and nobody says what: it may be any of the paths.
		for _, p := range r.Paths {
			all = append(all, c.edit(p))
		}
	}
	return all // without any: reading and searching, or the session's own notes
}

// unknown is a call that does not say what it does.
func (c Containment) unknown() operation {
	o := operation{asked: AskUnlessTrusted, reason: "the call does not say what it does"}
	if c.Sandbox.Confining() {
		o.refusal = o.reason
	}
	return o
}

// serverTool is a call of a tool of a server. The sandbox does not reach there; Read is
// the server's own promise that the tool only looks.
func (c Containment) serverTool(r Request) operation {
	if r.Level == Read {
		return operation{asked: AskAlways, reason: "tools of servers need approval"}
	}
	return operation{asked: AskUnlessTrusted, reason: "the tool of a server may change something"}
}

// command is a shell line. With AskNever it runs confined, and what is not allowed fails by
// itself; where nothing confines it, "change nothing" could not be held.
func (c Containment) command(r Request) operation {
	if Trusted(r.Command) {
		return operation{asked: AskAlways, reason: "commands need approval"}
	}
	o := operation{asked: AskUnlessTrusted, reason: "not a read-only command"}
	if c.Sandbox.Kind == SandboxReadOnly && !c.Confines {
		o.refusal = "this machine cannot confine commands, and the sandbox is read-only"
	}
	return o
}

func (c Containment) fetch() operation {
	if !c.Sandbox.Networked() {
		const closed = "the sandbox allows no network"
		return operation{asked: AskUnlessTrusted, reason: closed, refusal: closed}
	}
	return operation{asked: AskUnlessTrusted, reason: "fetch needs approval"}
}

func (c Containment) edit(p Path) operation {
	switch {
	case c.Sandbox.Kind == SandboxReadOnly:
		return operation{asked: AskUnlessTrusted, reason: "the sandbox is read-only", refusal: "read-only sandbox"}
	case c.Sandbox.Confining() && !c.opens(p):
		return operation{
			asked: AskUnlessTrusted, reason: "writes outside the workspace: " + p.Path, refusal: "writing outside the workspace",
		}
	}
	return operation{asked: AskUnlessTrusted, reason: "edit needs approval"}
}

// look is reading what is protected: the program's own state.
func (c Containment) look(p Path) operation {
	o := operation{asked: AskUnlessTrusted, reason: "reads the program's own state: " + p.Path}
	if c.Sandbox.Confining() {
		o.refusal = "reading the program's own state"
	}
	return o
}

// opens says whether the sandbox opens p for writing.
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

// below says whether path is root or lies below it, by their text: whole components, after
// cleaning. Symlinks are resolved by whoever made them, and a file system that knows no
// case has its names as the system spells them.
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
