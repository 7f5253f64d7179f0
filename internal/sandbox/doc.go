// Package sandbox starts commands so that nothing of them is left behind, and says how
// they are confined. Whether a command may run at all is package approval.
//
// Today no command is confined: each runs with all the rights of this process. A Policy
// that asks for less is refused, never ignored, and Probe tells what a machine has to
// offer for the day when commands can be confined.
package sandbox
