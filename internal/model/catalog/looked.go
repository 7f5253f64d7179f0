package catalog

import (
	"sync"

	"parley.dev/parley/internal/model"
)

// lookedMost is how many answers are kept. A process asks for a few models, again and
// again; who asks for many names loses the answers and not the memory.
const lookedMost = 64

// looked is what was looked up before: each turn asks for its model, several times.
var looked answers

// answers are Infos by provider and id.
type answers struct {
	mu  sync.Mutex
	all map[[2]string]model.Info
}

func (a *answers) get(provider, id string) (info model.Info, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	info, ok = a.all[[2]string{provider, id}]
	return info, ok
}

func (a *answers) put(info model.Info) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil || len(a.all) >= lookedMost {
		a.all = make(map[[2]string]model.Info)
	}
	a.all[[2]string{info.Provider, info.ID}] = info
}
