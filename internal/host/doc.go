// Package host is a process that several clients use at once: the socket where they come in, the line that each begins
// with, and an end that lets running turns finish. It knows connections, and no protocol.
package host
