// Package cell is the part of a confined command that runs in the command's own process:
// this program, started again with a Plan, confines itself and becomes the command.
//
// That happens in the init of this package, before the rest of the program is
// initialised. Go initialises a package as soon as all that it imports is, in the order of
// the alphabet: with nothing but syscall and unsafe, the turn of this one comes before
// that of net/http and everything behind it. Hence plain numbers here instead of
// golang.org/x/sys, and bytes instead of a library's format; cell_test.go holds the
// imports down.
//
// Who sets Variable by hand can only confine himself: a Plan takes rights away and then
// runs a program, which anybody can do without it.
package cell
