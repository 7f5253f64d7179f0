// Package patch reads patches as models write them, with hunks found by their lines and not by numbers, and applies their
// hunks to texts.
package patch
