// Package native is the protocol of this program itself: sessions as they are, their records verbatim and with their
// numbers, for consoles, libraries and other hosts. docs/native.md describes it.
package native
