// Package pisces is the RPC mode of the coding agents that descend from pi: commands, answers
// and events as lines of JSON on stdin and stdout, and sessions that are also kept as files
// of that family. The source is "RPC Protocol Reference"; what it leaves open is done as the
// programs that it describes do it.
package pisces
