// Package sandbox starts commands so that nothing of them is left behind, and confines
// them. Whether a command may run at all is package approval.
//
// A Policy says what a command may touch. On Linux it is held by Landlock, seccomp and
// namespaces, which the command's own process puts on before it begins (package cell), or
// else by the program bubblewrap; on macOS by sandbox-exec. What a machine has is tried
// out when it is first needed. A Policy that cannot be held is refused, never ignored.
// docs/sandbox.md says what each Policy holds and what it does not.
package sandbox
