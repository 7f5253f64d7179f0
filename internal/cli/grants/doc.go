// Package grants is the command that lists, adds and revokes what may always be done.
package grants
