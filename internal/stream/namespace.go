package stream

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"parley.dev/parley/internal/event"
)

// A Namespace forms the subjects and stream names of one store.
type Namespace struct {
	Name   string
	Shards int
}

// Token returns a session id as one token of a subject: bytes other than A–Z a–z 0–9 - _ become =XX.
func Token(id event.SessionID) string {
	var b strings.Builder
	for i := range len(id) {
		if c := id[i]; isPlain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String()
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// shard returns the shard of a session: FNV-1a-64 of its id modulo the number of shards, two hex digits.
func (n Namespace) shard(id event.SessionID) string {
	h := fnv.New64a()
	h.Write([]byte(id))
	return fmt.Sprintf("%02x", h.Sum64()%uint64(n.Shards))
}

// Journal returns the subject of a session's frames.
func (n Namespace) Journal(id event.SessionID) string {
	return n.Name + ".j." + n.shard(id) + "." + Token(id)
}

// Blobs returns the subject of all blobs of a session.
func (n Namespace) Blobs(id event.SessionID) string {
	return n.Name + ".b." + n.shard(id) + "." + Token(id) + ".>"
}

// Chunk returns the subject of one chunk of a blob.
func (n Namespace) Chunk(id event.SessionID, address string, number int) string {
	return fmt.Sprintf("%s%s.%d", strings.TrimSuffix(n.Blobs(id), ">"), address, number)
}

// Index returns the subject of a session's entry in the index.
func (n Namespace) Index(id event.SessionID) string { return "$KV." + n.Name + "_index." + Token(id) }

// AllIndex returns the subject of all entries of the index.
func (n Namespace) AllIndex() string { return "$KV." + n.Name + "_index.>" }

// Host returns the subject of a host's key.
func (n Namespace) Host(id string) string { return "$KV." + n.Name + "_hosts." + id }

// Control returns the subject of the requests to a host.
func (n Namespace) Control(owner string) string { return n.Name + ".h." + owner + ".ctl" }

// AllHosts returns the subjects of the keys of all hosts.
func (n Namespace) AllHosts() string { return n.Host(">") }

// Tunnel returns the subjects of a tunnel to a process: of what that receives, and of what it sends.
func (n Namespace) Tunnel(owner, id string) (in, out string) {
	prefix := n.Name + ".h." + owner + ".t." + id
	return prefix + ".in", prefix + ".out"
}

// Format returns the subject of the layout of a namespace.
func (n Namespace) Format() string { return "$KV." + n.Name + "_config.format" }

// Probe returns the subject of messages that measure the store.
func (n Namespace) Probe(name string) string { return "$KV." + n.Name + "_config.probe." + name }

// AllJournals returns the subjects of the frames of all sessions, one with wildcards for each shard.
func (n Namespace) AllJournals() []string { return n.each("%s.j.%02x.*") }

// AllBlobs returns the subjects of the blobs of all sessions, one with wildcards for each shard.
func (n Namespace) AllBlobs() []string { return n.each("%s.b.%02x.>") }

func (n Namespace) each(format string) []string {
	var all []string
	for shard := range n.Shards {
		all = append(all, fmt.Sprintf(format, n.Name, shard))
	}
	return all
}

// SessionOf returns the session of a token; "": it is none.
func SessionOf(token string) event.SessionID {
	var id []byte
	for i := 0; i < len(token); i++ {
		c := token[i]
		if c == '=' && i+2 < len(token) {
			n, err := strconv.ParseUint(token[i+1:i+3], 16, 8)
			if err != nil {
				return ""
			}
			c = byte(n)
			i += 2
		}
		id = append(id, c)
	}
	if Token(event.SessionID(id)) != token {
		return ""
	}
	return event.SessionID(id)
}

// streamOf returns the name of the stream that stores a subject of a namespace.
func streamOf(subject string) string {
	if rest, ok := strings.CutPrefix(subject, "$KV."); ok {
		bucket, _, _ := strings.Cut(rest, ".")
		return "KV_" + bucket
	}
	parts := strings.SplitN(subject, ".", 4)
	switch parts[1] {
	case "t":
		return parts[0] + "_tasks"
	case "bt", "bb":
		return parts[0] + "_batch"
	}
	return strings.Join(parts[:3], "_")
}
