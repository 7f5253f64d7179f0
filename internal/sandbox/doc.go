// Package sandbox starts commands so that nothing of them is left behind, and says how
// they are confined. Whether a command may run at all is package approval.
package sandbox
