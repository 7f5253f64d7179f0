package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cluster/peer"
	"parley.dev/parley/internal/cluster/tunnel"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/host/token"
	"parley.dev/parley/internal/journal"
)

// peers are the other hosts that share the store.
type peers struct {
	member peer.Member
	store  journal.OwnerStore
	roots  []string // folders that are the same on every host
}

var errUnknownRole = errors.New("the role of the client is not known")

// findWait is how long hosts may take to answer whether they have a folder.
const findWait = 500 * time.Millisecond

// serve answers the requests of other hosts. It must be called before the member is used.
func (p *peers) serve() {
	p.member.Handle(peer.VerbHas, func(folder string) string {
		if p.Has(folder) {
			return peer.AnswerYes
		}
		return peer.AnswerNo
	})
}

// Has reports whether this host has a folder.
func (p *peers) Has(folder string) bool {
	for _, root := range p.roots {
		if below, err := filepath.Rel(root, folder); err == nil && filepath.IsLocal(below) {
			return true
		}
	}
	info, err := os.Stat(folder)
	return err == nil && info.IsDir()
}

// owner returns the process that has a session, but for this one.
func (p *peers) owner(ctx context.Context, session event.SessionID) (native.Place, error) {
	owner, name, err := p.store.Owner(ctx, session)
	if err != nil || owner == "" || owner == p.member.Owner() {
		return native.Place{}, err
	}
	live, err := p.member.Live(ctx, owner)
	return native.Place{Owner: owner, Name: name, Live: live}, err
}

// find returns a host for a session; see native.Hosts.
func (p *peers) find(ctx context.Context, folder, placement string) (native.Place, error) {
	id, byID := strings.CutPrefix(placement, "host:")
	label, byLabel := strings.CutPrefix(placement, "label:")
	key, value, hasValue := strings.Cut(label, "=")
	switch {
	case byID:
		h, err := p.member.FindHost(ctx, id)
		if err == nil && !h.Serves {
			err = fmt.Errorf("the process %s serves no clients", id)
		}
		return placeOf(h), err
	case placement != "" && (!byLabel || !hasValue || key == ""):
		return native.Place{}, fmt.Errorf("%q is none of here, host:ID and label:KEY=VALUE", placement)
	}
	hosts, err := p.member.Hosts(ctx)
	if err != nil {
		return native.Place{}, err
	}
	hosts = slices.DeleteFunc(hosts, func(h peer.Host) bool {
		return !h.Live || !h.Serves || h.Draining || h.Owner() == p.member.Owner() || byLabel && h.Labels[key] != value
	})
	if byLabel && len(hosts) == 0 {
		return native.Place{}, fmt.Errorf("no live host has the label %s", label)
	}
	return p.firstWith(ctx, hosts, folder), nil
}

// firstWith returns the first of the hosts that answers that it has a folder.
func (p *peers) firstWith(ctx context.Context, hosts []peer.Host, folder string) native.Place {
	ctx, cancel := context.WithTimeout(ctx, findWait)
	defer cancel()
	found := make(chan native.Place, len(hosts))
	for _, h := range hosts {
		go func() {
			answer, err := p.member.Call(ctx, h.Owner(), peer.VerbHas, folder)
			if err != nil || answer != peer.AnswerYes {
				found <- native.Place{}
				return
			}
			found <- placeOf(h)
		}()
	}
	for range hosts {
		if place := <-found; place.Owner != "" {
			return place
		}
	}
	return native.Place{}
}

func placeOf(h peer.Host) native.Place {
	return native.Place{Owner: h.Owner(), Name: h.Name, Live: h.Live}
}

// newPeers returns the hosts that share the store of a program; nil: none does.
func newPeers(a *app.App, roots []string) *peers {
	store, shared := a.Store.(journal.OwnerStore)
	if !shared || a.Member == nil {
		return nil
	}
	return &peers{a.Member, store, roots}
}

// hostsOf returns a client's way to the other hosts; nil: there are none, or one of them relays it.
func hostsOf(a *app.App, c client, role native.Role) native.Hosts {
	if c.relayed {
		return nil
	}
	var p *peers
	if c.host != nil {
		p = c.host.peers
	} else {
		p = newPeers(a, nil)
	}
	if p == nil {
		return nil
	}
	return peerClient{p, role, c.token, c.audit}
}

// A peerClient is one client's way to the other hosts.
type peerClient struct {
	*peers
	role  native.Role
	token *token.Info // nil: it is the user
	audit *auditor    // nil: there is no log
}

// Self implements native.Hosts.
func (p peerClient) Self() native.Place {
	return native.Place{Owner: p.member.Owner(), Name: p.member.HostName(), Live: true}
}

// Owner implements native.Hosts.
func (p peerClient) Owner(ctx context.Context, session event.SessionID) (native.Place, error) {
	return p.owner(ctx, session)
}

// Find implements native.Hosts.
func (p peerClient) Find(ctx context.Context, folder, placement string) (native.Place, error) {
	return p.find(ctx, folder, placement)
}

// Connect implements native.Hosts.
func (p peerClient) Connect(ctx context.Context, owner, client string) (native.Remote, error) {
	v := peer.Visitor{Client: client, Role: string(p.role)}
	if p.token != nil {
		v.Limited, v.Sessions, v.Within = p.token.Sessions != nil, p.token.Sessions, p.token.Workspace
	}
	c, err := p.member.OpenTunnel(ctx, owner, v)
	if err != nil {
		if refused, ok := errors.AsType[*peer.RefusedError](err); ok {
			err = refusedError{refused}
		}
		return nil, err
	}
	if p.audit != nil {
		e := p.audit.entry
		e.Event, e.Client, e.Target = "relayed", client, owner
		p.audit.write(e)
	}
	return c, nil
}

// A refusedError is the error of a host that takes no tunnel.
type refusedError struct{ *peer.RefusedError }

// Refused reports that the host was reached.
func (refusedError) Refused() bool { return true }

var _ native.Remote = (*tunnel.Conn)(nil)

// labelsOf returns labels as the command line has them: KEY=VALUE.
func labelsOf(words []string) (map[string]string, error) {
	labels := map[string]string{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not KEY=VALUE", word)
		}
		labels[key] = value
	}
	return labels, nil
}
