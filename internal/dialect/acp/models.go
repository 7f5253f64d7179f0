package acp

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
)

// discoveryWait is how long new sessions wait for endpoints that are asked which models they have.
const discoveryWait = 200 * time.Millisecond

// models is the models that can be called, as clients know them. It is safe for concurrent use.
type models struct {
	host  *engine.Host
	known chan struct{} // closed when the endpoints have answered, or will not
	begin sync.Once
	wait  sync.Once // only the first session waits

	mu    lock.Mutex
	all   []ConfigValue // sorted; nil: not asked for yet
	infos map[string]model.Info
}

func newModels(host *engine.Host) *models {
	return &models{host: host, known: make(chan struct{}), infos: map[string]model.Info{}}
}

// discover asks the endpoints which models they have, once. Without an answer there are those that are known without one.
func (c *conn) discover() {
	c.models.begin.Do(func() {
		c.working.Go(func() {
			offers := c.cfg.Host.Offers(c.life)
			late := c.models.offer(offers)
			close(c.models.known)
			if late {
				c.modelsChanged()
			}
			if c.models.offer(c.cfg.Host.AllOffers(c.life)) { // of agents, which may take seconds to start
				c.modelsChanged()
			}
		})
	})
}

// awaitModels waits a short time for the answers of the endpoints.
func (c *conn) awaitModels(ctx context.Context) {
	c.models.wait.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, discoveryWait)
		defer cancel()
		select {
		case <-c.models.known:
		case <-ctx.Done():
		}
	})
}

// modelsChanged sends the options of all sessions again.
func (c *conn) modelsChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return
	}
	for id, s := range c.sessions {
		if !c.loading[id] {
			s.send(ConfigOptionUpdate{"config_option_update", s.configOptions()})
		}
	}
}

// offer adds models. It reports whether the list was sent to a client before, and has grown.
func (m *models) offer(offers []engine.Offer) (late bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	listed, before := m.all != nil, len(m.all)
	m.list()
	for _, o := range offers {
		m.add(o.Name, o.Info)
	}
	return listed && len(m.all) > before
}

// list begins the list with the models that are known without a request.
func (m *models) list() {
	if m.all != nil {
		return
	}
	m.all = []ConfigValue{}
	for _, name := range m.host.ModelNames() {
		info, _ := m.host.DescribeModel(name)
		m.add(name, info)
	}
}

// add adds a model, if it is not there.
func (m *models) add(name string, info model.Info) {
	at, found := slices.BinarySearchFunc(m.all, name, func(v ConfigValue, name string) int { return strings.Compare(v.Value, name) })
	if !found {
		m.all = slices.Insert(m.all, at, ConfigValue{Value: name, Name: cmp.Or(info.Name, info.ID, name)})
		m.infos[name] = info
	}
}

// values returns all models, current among them.
func (m *models) values(current string) []ConfigValue {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list()
	if current != "" {
		info, _ := m.host.DescribeModel(current)
		m.add(current, info)
	}
	return slices.Clone(m.all)
}

// info returns what is known of a model, without a request.
func (m *models) info(name string) model.Info {
	m.mu.Lock()
	info, listed := m.infos[name]
	m.mu.Unlock()
	if !listed {
		info, _ = m.host.DescribeModel(name)
	}
	return info
}
