package cluster

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/stream"
)

// This file contains what members publish about themselves, in their keys.

// Describe sets what the member publishes. The name of the machine and the number of the process are added, and the version if there is none. It must be called
// before the member is used; describe is called at each renewal of the key.
func (m *Member) Describe(describe func() Description) { m.describe = describe }

// Announce publishes the description soon: it has changed. More than one call a second are one.
func (m *Member) Announce() {
	select {
	case m.news <- struct{}{}:
	default:
	}
}

// description returns the data of the member's key.
func (m *Member) description() []byte { return encode(m.currentDescription()) }

// departure returns the data of the message that removes the key: what the member was, if others may miss it. A command
// that has ended is in no list.
func (m *Member) departure() []byte {
	if d := m.currentDescription(); d.Serves || d.Slots > 0 {
		return encode(d)
	}
	return nil
}

func (m *Member) currentDescription() (d Description) {
	if m.describe != nil {
		d = m.describe()
	}
	d.Name, d.PID, d.Version = m.opts.HostName, os.Getpid(), cmp.Or(d.Version, m.opts.Version)
	return d
}

func encode(d Description) []byte {
	data, _ := json.Marshal(d, json.Deterministic(true)) // of strings that are valid, or it has no data
	return data
}

// Hosts returns the hosts of the namespace, sorted: those that live, those that have died within the last minute, and those
// that served clients or ran tasks and have left a moment ago.
func (m *Member) Hosts(ctx context.Context) ([]Host, error) {
	l, err := m.Connect(ctx)
	if err != nil {
		return nil, err
	}
	found, err := l.readHosts(ctx)
	if err != nil {
		return nil, err
	}
	var all []Host
	for _, h := range found {
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b Host) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// hostPasses is how often keys are read that were renewed while others were read. A key is renewed once a second at most, so two
// passes find all unless a pass takes longer.
const hostPasses = 3

// readHosts returns what the bucket of hosts has but for commands that have ended, by the ids of hosts. A key that is renewed while keys are read is not where it
// was: it follows the last one.
func (l *Link) readHosts(ctx context.Context) (map[string]Host, error) {
	found := map[string]Host{}
	from := uint64(1)
	for range hostPasses {
		last, err := stream.LastOnce(ctx, l, l.Namespace.AllHosts())
		if err != nil {
			return nil, err
		}
		if last.Seq < from {
			break
		}
		err = l.Read(ctx, l.Namespace.AllHosts(), from, last.Seq, func(message *stream.Message) error {
			h := hostOf(message, l.Namespace)
			if found[h.ID] = h; hasLeft(message) && len(message.Data) == 0 { // it was a command that has ended
				delete(found, h.ID)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		from = last.Seq + 1
	}
	return found, nil
}

// hostOf returns the host of a key.
func hostOf(message *stream.Message, names stream.Namespace) Host {
	h := Host{ID: strings.TrimPrefix(message.Subject, names.Host("")), Seen: message.Time.UTC()}
	h.Incarnation, h.Live = keyOf(message)
	_ = json.Unmarshal(message.Data, &h.Description) // one that has died has none
	return h
}

// FindHost returns the live host of an id, which may have its incarnation.
func (m *Member) FindHost(ctx context.Context, id string) (Host, error) {
	l, err := m.Connect(ctx)
	if err != nil {
		return Host{}, err
	}
	id, incarnation, _ := strings.Cut(id, ".")
	message, err := stream.LastOnce(ctx, l, l.Namespace.Host(id))
	if err != nil {
		return Host{}, err
	}
	h := hostOf(message, l.Namespace)
	if h.ID = id; !h.Live || incarnation != "" && incarnation != h.Incarnation {
		return h, ErrNoHost
	}
	return h, nil
}
