// Package demo is the command that runs a client against a server, offline, on a small project with a bug.
package demo
