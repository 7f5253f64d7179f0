// Package tunnel carries a stream of bytes between two members of a namespace in messages that no server stores.
//
// Messages can be lost: a tunnel that misses one is broken, and its user opens another.
package tunnel
