package cell

// Variable is the environment variable that makes this program a cell. It is not handed
// on to the command.
const Variable = "PARLEY_CELL"

// The descriptors of a cell, beside the command's own three.
const (
	PlanFile   = 3 // the encoded Plan
	StatusFile = 4 // a pipe: it carries Confined, then ends when the command begins, or else a Failure
)

// A Plan is a command and all that is to be done before it begins, in the order of the
// fields. What cannot be done ends the cell: nothing runs with less than its Plan.
type Plan struct {
	Path string // of the program; "": a trial that ends once it is confined
	Args []string
	Env  []string
	Dir  string

	Mounts    bool     // this process has a mount namespace of its own: only Writable stays writable
	Writable  []string // files and folders, none below another
	Pinned    []string // folders below Writable that cannot be renamed, outer ones first
	Protected []string // below Writable, read-only all the same; one that is gone is passed over
	Devices   bool     // with Mounts: terminals and shared memory of its own, if the kernel lets it
	Loopback  bool     // this process has a network of its own: raise its loopback

	Keep uint64 // capabilities that are not given up, a bit each

	Handled uint64 // Landlock: the rights to files that Rules are about; 0: no Landlock
	Scoped  uint64 // Landlock: what does not leave this process and its children
	Rules   []Rule

	Filter []byte // seccomp: sock_filter after sock_filter; empty: none
}

// A Rule gives rights back below a path; fewer where it is a file.
type Rule struct {
	Path   string
	Rights uint64
}

// A Stage is where a cell failed.
type Stage byte

// Confined is what a cell says once its Plan is carried out, all but the command.
const Confined = 'C'

// The stages.
const (
	Confining Stage = iota + 1
	Entering        // the command's folder
	Beginning       // the command's program
)

// A Failure is why a command did not begin.
type Failure struct {
	Stage Stage
	Errno uint32
	What  string // was being done
}

// magic begins every Plan: another program's descriptor 3 is not mistaken for one.
const magic = "parley plan 1\n"

// Encode is p as Decode reads it.
func (p *Plan) Encode() []byte {
	b := encoder(magic)
	b.text(p.Path)
	b.texts(p.Args)
	b.texts(p.Env)
	b.text(p.Dir)
	b.flag(p.Mounts)
	b.texts(p.Writable)
	b.texts(p.Pinned)
	b.texts(p.Protected)
	b.flag(p.Devices)
	b.flag(p.Loopback)
	b.number(p.Keep)
	b.number(p.Handled)
	b.number(p.Scoped)
	b.number(uint64(len(p.Rules)))
	for _, r := range p.Rules {
		b.text(r.Path)
		b.number(r.Rights)
	}
	b.text(string(p.Filter))
	return b
}

// Decode reads what Encode wrote; ok is false for anything else.
func Decode(data []byte) (p *Plan, ok bool) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return nil, false
	}
	d := decoder{rest: data[len(magic):]}
	p = &Plan{
		Path: d.text(), Args: d.texts(), Env: d.texts(), Dir: d.text(),
		Mounts: d.flag(), Writable: d.texts(), Pinned: d.texts(), Protected: d.texts(), Devices: d.flag(), Loopback: d.flag(),
		Keep: d.number(), Handled: d.number(), Scoped: d.number(),
	}
	for range d.count() {
		p.Rules = append(p.Rules, Rule{Path: d.text(), Rights: d.number()})
	}
	p.Filter = []byte(d.text())
	if d.broken || len(d.rest) > 0 {
		return nil, false
	}
	return p, true
}

// Encode is f as DecodeFailure reads it.
func (f Failure) Encode() []byte {
	b := encoder{byte(f.Stage)}
	b.number(uint64(f.Errno))
	b.text(f.What)
	return b
}

// DecodeFailure reads what a cell left in its StatusFile; ok is false for nothing.
func DecodeFailure(data []byte) (f Failure, ok bool) {
	if len(data) == 0 {
		return f, false
	}
	d := decoder{rest: data[1:]}
	return Failure{Stage: Stage(data[0]), Errno: uint32(d.number()), What: d.text()}, true
}

type encoder []byte

func (e *encoder) number(n uint64) {
	for shift := 0; shift < 64; shift += 8 {
		*e = append(*e, byte(n>>shift))
	}
}

func (e *encoder) flag(f bool) {
	n := uint64(0)
	if f {
		n = 1
	}
	e.number(n)
}

func (e *encoder) text(s string) {
	e.number(uint64(len(s)))
	*e = append(*e, s...)
}

func (e *encoder) texts(all []string) {
	e.number(uint64(len(all)))
	for _, s := range all {
		e.text(s)
	}
}

// A decoder yields zero values once it is broken.
type decoder struct {
	rest   []byte
	broken bool
}

func (d *decoder) number() (n uint64) {
	if len(d.rest) < 8 {
		d.broken, d.rest = true, nil
		return 0
	}
	for i, b := range d.rest[:8] {
		n |= uint64(b) << (8 * i)
	}
	d.rest = d.rest[8:]
	return n
}

// count is a number of things that take at least eight bytes each.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.rest))/8 {
		d.broken, d.rest = true, nil
		return 0
	}
	return int(n)
}

func (d *decoder) flag() bool {
	n := d.number()
	d.broken = d.broken || n > 1
	return n == 1
}

func (d *decoder) text() string {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.broken, d.rest = true, nil
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) texts() (all []string) {
	for range d.count() {
		all = append(all, d.text())
	}
	return all
}
