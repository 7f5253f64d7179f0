// Package sandbox starts commands, confines them, and ends every process that they leave.
// Whether a command may run at all is decided by package approval.
//
// A Policy defines what a command may change. On Linux it is enforced by Landlock, seccomp and
// namespaces, which the command's own process sets up before it executes the command (package reexec), or
// else by the program bubblewrap; on macOS by sandbox-exec. What the machine supports is
// detected when it is first needed. A Policy that cannot be enforced is refused, never ignored.
// docs/sandbox.md describes what each Policy enforces and what it does not.
package sandbox
