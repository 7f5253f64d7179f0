// Package modeltest plays models for tests. A [Server] answers requests on any of the
// provider wires from a script, byte for byte in the shape that real servers use, and
// keeps what it was asked. [Run] is the suite that every provider must pass.
package modeltest
