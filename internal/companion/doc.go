// Package companion finds the other programs of Parley, which belong to one installation: what few commands need is a
// program of its own, so that the start of all others does not pay for it.
package companion
