// Package reexec is the part of a confined command that runs in the command's own process:
// this program, started again with a Plan, confines itself and then executes the command.
//
// That happens in the init function of this package, before the rest of the program is
// initialised. Go initialises a package as soon as all its imports are initialised, in
// alphabetical order. This package imports only syscall and unsafe and is therefore
// initialised before net/http and everything that imports it. That is why it contains
// numbers instead of importing golang.org/x/sys, and has an encoding of its own;
// plan_test.go checks the imports.
//
// Setting Variable by hand is harmless: a Plan only removes rights and then runs a program,
// which any process can do without it.
package reexec
