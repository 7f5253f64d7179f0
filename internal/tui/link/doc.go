// Package link connects a console to Parley: to a host, or to a process of its own (parley rpc). A [Link] has the verbs of
// the native protocol that consoles need as methods, with the types of packages client and record; it neither draws nor
// remembers anything about sessions. All texts are as the host has them, so what shows them must clean them first.
package link
