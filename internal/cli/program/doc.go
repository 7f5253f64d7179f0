// Package program is the program parley, and parley-host, which links more: the command line, from the arguments to the exit code.
package program
