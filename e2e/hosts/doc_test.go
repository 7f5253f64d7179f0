// Package hosts has tests of several hosts of the built program that share a store on a real nats-server.
package hosts
