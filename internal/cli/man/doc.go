// Package man writes the manual pages: one for each command, from what its help is made of, and one for
// each of the other programs. It is the hidden command man, which the build of a release runs.
package man
