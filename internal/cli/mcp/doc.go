// Package mcpcmd is the command that lists, tests, adds and removes tool servers, signs in to them, and serves
// Parley as one.
package mcpcmd
