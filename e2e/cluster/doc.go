// Package cluster has the NATS server that tests start as its dependency. Its folder accounts makes users for it. It is
// a module of its own, so that the server is not one of the program.
package cluster
