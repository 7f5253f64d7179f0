package jetstream

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
	"parley.dev/parley/internal/stream"
)

// frameVersion is the version of the headers. Unknown headers are ignored.
const frameVersion = 1

// The kinds of frames.
const (
	kindCreate  = "create"
	kindAppend  = "append"
	kindClaim   = "claim"
	kindRelease = "release"
	kindRemove  = "remove"
)

// noOwner is the owner in a release.
const noOwner = "-"

// A frame is one message on the subject of a session.
type frame struct {
	kind  string
	first uint64         // number of the first record in it, or of the next one
	head  uint64         // number of the last record so far
	hash  chain.HashSum  // of that record
	epoch uint64         // grows with every claim
	owner string         // HOST.INCARNATION; noOwner in a release
	pid   int            // of the process, for errors
	host  string         // name of the machine, for errors
	id    string         // EPOCH.COUNTER, unique within the epoch's owner
	body  *blobReference // of the lines; nil: lines has them
	lines []byte
	blobs uint64 // in remove: sequence of the session's last chunk
	index uint64 // in remove: sequence of the session's entry in the index
}

// A blobReference names a blob.
type blobReference struct {
	address string
	size    int64
}

// sameAs reports whether g is f as it is stored. An epoch has one owner, so the id is enough except for
// frames that begin an epoch, which several processes may publish.
func (f *frame) sameAs(g *frame) bool {
	return f.kind == g.kind && f.id == g.id && f.owner == g.owner
}

// message returns the frame as a message on subject.
func (f *frame) message(subject string) *stream.Message {
	header := map[string]string{
		"Parley-V":     strconv.Itoa(frameVersion),
		"Parley-Kind":  f.kind,
		"Parley-First": strconv.FormatUint(f.first, 10),
		"Parley-Head":  strconv.FormatUint(f.head, 10),
		"Parley-Hash":  hex.EncodeToString(f.hash[:]),
		"Parley-Epoch": strconv.FormatUint(f.epoch, 10),
		"Parley-Owner": f.owner,
		"Parley-Pid":   strconv.Itoa(f.pid),
		"Parley-Frame": f.id,
		"Parley-Host":  f.host,
	}
	if f.body != nil {
		header["Parley-Body"] = fmt.Sprintf("%s %d", f.body.address, f.body.size)
	}
	if f.kind == kindRemove {
		header["Parley-Blobs"] = strconv.FormatUint(f.blobs, 10)
		header["Parley-Index"] = strconv.FormatUint(f.index, 10)
	}
	return &stream.Message{Subject: subject, Header: header, Data: f.lines}
}

// decodeFrame returns the frame in a message. The error reports what is wrong with it: a *journal.DamageError, unless a newer version
// has written it.
func decodeFrame(m *stream.Message) (*frame, error) {
	d := headerDecoder{header: m.Header}
	if v := d.number("Parley-V"); d.err == nil && v > frameVersion {
		return nil, fmt.Errorf("frame %d of %s has version %d: a newer version of this program is needed to read it", m.Seq, m.Subject, v)
	}
	f := &frame{
		kind:  m.Header["Parley-Kind"],
		first: d.number("Parley-First"),
		head:  d.number("Parley-Head"),
		epoch: d.number("Parley-Epoch"),
		owner: m.Header["Parley-Owner"],
		pid:   int(d.number("Parley-Pid")),
		host:  m.Header["Parley-Host"],
		id:    m.Header["Parley-Frame"],
		lines: m.Data,
	}
	d.hash("Parley-Hash", &f.hash)
	if body, ok := m.Header["Parley-Body"]; ok {
		f.body = d.blob("Parley-Body", body)
	}
	switch f.kind {
	case kindCreate, kindAppend, kindClaim, kindRelease:
	case kindRemove:
		f.blobs, f.index = d.number("Parley-Blobs"), d.number("Parley-Index")
	default:
		d.fail("Parley-Kind")
	}
	if d.err != nil {
		return nil, &journal.DamageError{Path: m.Subject, Seq: f.first, Reason: fmt.Sprintf("frame %d: %v", m.Seq, d.err)}
	}
	return f, nil
}

// A headerDecoder decodes headers until the first bad one.
type headerDecoder struct {
	header map[string]string
	err    error
}

func (d *headerDecoder) fail(name string) {
	if d.err == nil {
		d.err = fmt.Errorf("bad header %s: %q", name, d.header[name])
	}
}

func (d *headerDecoder) number(name string) uint64 {
	n, err := strconv.ParseUint(d.header[name], 10, 63)
	if err != nil {
		d.fail(name)
	}
	return n
}

func (d *headerDecoder) hash(name string, into *chain.HashSum) {
	text := d.header[name]
	if len(text) != 2*chain.HashSize {
		d.fail(name)
		return
	}
	if _, err := hex.Decode(into[:], []byte(text)); err != nil {
		d.fail(name)
	}
}

func (d *headerDecoder) blob(name, text string) *blobReference {
	address, size, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(size, 10, 63)
	if err != nil || !stream.ValidAddress(address) {
		d.fail(name)
	}
	return &blobReference{address: address, size: n}
}
