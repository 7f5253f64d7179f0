package sandbox

import "fmt"

// Policy is how a command is confined. The zero Policy is none of them, so that a
// forgotten one is refused.
type Policy uint8

// The policies. Only Full can be had so far.
const (
	ReadOnly       Policy = iota + 1 // it may read files, and reach nothing else
	WorkspaceWrite                   // it may also write below the workspace
	Full                             // it may do what this process may do
)

var policyNames = [...]string{"unset", ReadOnly: "read-only", WorkspaceWrite: "workspace-write", Full: "full"}

// String is the policy's name in settings and messages.
func (p Policy) String() string {
	if int(p) < len(policyNames) {
		return policyNames[p]
	}
	return fmt.Sprintf("policy %d", uint8(p))
}

// Check says why commands cannot run under p; nil if they can.
func (p Policy) Check() error {
	if p == Full {
		return nil
	}
	return fmt.Errorf("commands cannot be confined yet: the sandbox policy %q is refused, only %q can be used", p, Full)
}
