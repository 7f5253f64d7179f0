// Package hook asks commands of the user's at certain moments of a session: before and after
// tool calls, when a prompt is taken up, and when a turn would end. It starts them, reads
// what they answer, and makes one Ruling of all answers; what follows from that is for the
// engine. It does not decide which files may configure hooks, and it trusts those that there are:
// they run as the user, and nothing confines them. docs/hooks.md has the contract.
package hook
