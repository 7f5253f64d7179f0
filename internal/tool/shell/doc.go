// Package shell runs shell text, and carries the folder and the exported variables that one command leaves to the next.
package shell
