package reexec

// Variable is the environment variable that makes this program carry out the Plan in PlanFile.
// The command does not inherit it.
const Variable = "PARLEY_REEXEC"

// The descriptors that the process is started with, in addition to standard input, output and error.
const (
	PlanFile   = 3 // the encoded Plan
	StatusFile = 4 // a pipe: StatusConfined, then end of file when the command is executed, or else a Failure
)

// A Plan is a command and everything that is done before it is executed, in the order of the
// fields. If a step fails the process exits: no command runs with less than its Plan.
type Plan struct {
	Path string // of the program; "": a trial that exits once it is confined
	Args []string
	Env  []string
	Dir  string

	Mounts   bool     // this process has a mount namespace of its own: only Writable stays writable
	Writable []string // files and folders, none below another
	Hidden   []string // folders that an empty one is mounted over; one that does not exist is skipped
	// HiddenWritable and HiddenReadable are folders below Hidden that stay open, for changes or only for reading.
	HiddenWritable, HiddenReadable []string

	RenameLocked []string // folders below Writable that cannot be renamed, outer ones first
	Protected    []string // below Writable, but read-only; one that no longer exists is skipped
	Devices      bool     // with Mounts: private terminals and shared memory, if the kernel allows them
	Loopback     bool     // this process has a network namespace of its own: bring up its loopback interface

	Capabilities uint64 // the capabilities that are not dropped, one bit each

	HandledRights uint64 // Landlock: the file rights that Rules restrict; 0: no Landlock
	Scopes        uint64 // Landlock: what is confined to this process and its children
	Rules         []Rule

	Filter []byte // seccomp: sock_filter after sock_filter; empty: none
}

// A Rule allows rights below a path; only those of files if the path is a file.
type Rule struct {
	Path   string
	Rights uint64
}

// A Stage is the step that failed.
type Stage byte

// StatusConfined is written to StatusFile once the process is confined, before the command is executed.
const StatusConfined = 'C'

// The stages.
const (
	StageConfine Stage = iota + 1
	StageChdir         // change to the command's folder
	StageExec          // execute the command's program
)

// A Failure is the reason why a command was not executed.
type Failure struct {
	Stage Stage
	Errno uint32
	What  string // the path concerned, or with StageConfine the operation
}

// magic begins every encoded Plan: another program's descriptor 3 is not mistaken for one.
const magic = "parley plan 1\n"

// Encode encodes p for Decode.
func (p *Plan) Encode() []byte {
	b := encoder(magic)
	b.text(p.Path)
	b.texts(p.Args)
	b.texts(p.Env)
	b.text(p.Dir)
	b.flag(p.Mounts)
	b.texts(p.Writable)
	b.texts(p.Hidden)
	b.texts(p.HiddenWritable)
	b.texts(p.HiddenReadable)
	b.texts(p.RenameLocked)
	b.texts(p.Protected)
	b.flag(p.Devices)
	b.flag(p.Loopback)
	b.number(p.Capabilities)
	b.number(p.HandledRights)
	b.number(p.Scopes)
	b.number(uint64(len(p.Rules)))
	for _, r := range p.Rules {
		b.text(r.Path)
		b.number(r.Rights)
	}
	b.text(string(p.Filter))
	return b
}

// Decode decodes what Encode returned; ok is false for anything else.
func Decode(data []byte) (p *Plan, ok bool) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return nil, false
	}
	d := decoder{rest: data[len(magic):]}
	p = &Plan{
		Path: d.text(), Args: d.texts(), Env: d.texts(), Dir: d.text(),
		Mounts: d.flag(), Writable: d.texts(),
		Hidden: d.texts(), HiddenWritable: d.texts(), HiddenReadable: d.texts(), RenameLocked: d.texts(), Protected: d.texts(), Devices: d.flag(), Loopback: d.flag(),
		Capabilities: d.number(), HandledRights: d.number(), Scopes: d.number(),
	}
	for range d.count() {
		p.Rules = append(p.Rules, Rule{Path: d.text(), Rights: d.number()})
	}
	p.Filter = []byte(d.text())
	if d.invalid || len(d.rest) > 0 {
		return nil, false
	}
	return p, true
}

// Encode encodes f for DecodeFailure.
func (f Failure) Encode() []byte {
	b := encoder{byte(f.Stage)}
	b.number(uint64(f.Errno))
	b.text(f.What)
	return b
}

// DecodeFailure decodes what the process wrote to StatusFile; ok is false if data is empty.
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

// A decoder returns zero values once its input turned out to be invalid.
type decoder struct {
	rest    []byte
	invalid bool
}

func (d *decoder) number() (n uint64) {
	if len(d.rest) < 8 {
		d.invalid, d.rest = true, nil
		return 0
	}
	for i, b := range d.rest[:8] {
		n |= uint64(b) << (8 * i)
	}
	d.rest = d.rest[8:]
	return n
}

// count decodes the length of a list whose elements take at least eight bytes each.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.rest))/8 {
		d.invalid, d.rest = true, nil
		return 0
	}
	return int(n)
}

func (d *decoder) flag() bool {
	n := d.number()
	d.invalid = d.invalid || n > 1
	return n == 1
}

func (d *decoder) text() string {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.invalid, d.rest = true, nil
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
