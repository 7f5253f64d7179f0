// Package client is a small client of each dialect, for tests of the built program. A client reads a line when the
// test asks for one, and never ahead: a test that does not read is a client that has stopped reading.
package client
