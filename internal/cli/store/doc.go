// Package store is the command that makes, checks and maintains a store on NATS servers.
package store
