package tool

import "cmp"

// Limits are how much of a result models see. A field that is zero has its default.
type Limits struct {
	Output    int // bytes of what a command or a search returns; default 30 KiB
	Read      int // bytes of what a file is read as; default 50 KiB
	ReadLines int // lines that a file is read as where the call has no limit; default 2000
}

func (l Limits) output() int    { return cmp.Or(l.Output, 30<<10) }
func (l Limits) read() int      { return cmp.Or(l.Read, 50<<10) }
func (l Limits) readLines() int { return cmp.Or(l.ReadLines, 2000) }
