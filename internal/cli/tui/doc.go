// Package tui is the command that starts the terminal console, which is a program of its own: the libraries that draw it
// would cost every other command 2 ms of start.
package tui
