// Package lock provides the mutex for everything that goroutines of the program share.
//
// [Mutex] is [sync.Mutex]. With the build tag lockcheck it detects possible deadlocks: it ends the
// program, and prints the stacks concerned, when a goroutine locks a mutex that it already holds,
// and when two mutexes are locked in both orders. A deadlock that would occur rarely is then a
// failed test. `make locks` runs the tests with the tag.
package lock
