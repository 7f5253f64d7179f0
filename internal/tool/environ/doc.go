// Package environ makes the environment of the programs that are started: without secrets, and with settings that keep them
// from waiting for a user.
package environ
