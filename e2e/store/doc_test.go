// Package store tests the journals of a shared store while processes, networks, servers and disks fail. Writers
// are processes that use the driver and log what they call and what is returned; servers are real ones. At the
// end a checker compares the logs of all writers with what the servers have.
//
// TestFaults places each failure of table_test.go at each operation of a session's life. TestRandom runs writers
// and faults at random, from a seed. TestPowerCut needs root. TestMutants checks that mistakes of
// the driver are found.
//
// The package is not below e2e/cluster: that is a module of its own, for the server's program, and could not use
// internal packages of this one without a second list of its dependencies.
package store
