package catalog

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"parley.dev/parley/internal/model"
)

// What is assumed of a model outside the catalogue, in tokens.
const (
	DefaultContextWindow = 128_000
	DefaultMaxOutput     = 16_384
)

// A key is a provider and the plain form of a model's id.
type key struct{ provider, id string }

// A table is the data in our terms. It takes some milliseconds to make.
type table struct {
	models   []model.Info // sorted by provider, then id
	exact    map[key]int  // ids as they are
	plain    map[key]int  // ids as plainID leaves them
	makers   map[key]int  // plain ids of the models of those who make them, provider left out
	defaults map[string]string
}

var load = sync.OnceValue(func() *table { return newTable(embedded.GetAll()) })

// Lookup is what is known of the model that provider calls id. The provider's own entry
// counts most, then one that differs only in date, vendor prefix or spelling of the
// version (claude-opus-4.5 is claude-opus-4-5-20251101), then the maker's entry, so that
// a gateway's models are known, too. An id outside the catalogue is no error: it gets
// the defaults above, no price, no thinking, no images, and Known false.
func Lookup(provider, id string) model.Info {
	t := load()
	plain := plainID(id)
	for _, try := range []struct {
		in map[key]int
		at key
	}{
		{t.exact, key{provider, id}},
		{t.plain, key{provider, plain}},
		{t.makers, key{"", plain}},
	} {
		if i, ok := try.in[try.at]; ok {
			info := clone(t.models[i])
			info.Provider, info.ID = provider, id
			return info
		}
	}
	return model.Info{
		ID: id, Provider: provider, Name: id,
		ContextWindow: DefaultContextWindow, MaxOutput: DefaultMaxOutput,
	}
}

// All is every model of the catalogue, sorted by provider and id.
func All() []model.Info {
	all := slices.Clone(load().models)
	for i := range all {
		all[i] = clone(all[i])
	}
	return all
}

// Default is the id of a current model of provider that is strong at coding; "" if the
// catalogue does not know the provider.
func Default(provider string) string { return load().defaults[provider] }

func clone(i model.Info) model.Info {
	i.Thinking = slices.Clone(i.Thinking)
	return i
}

func newTable(providers []catwalk.Provider) *table {
	t := &table{
		exact: make(map[key]int), plain: make(map[key]int), makers: make(map[key]int),
		defaults: make(map[string]string),
	}
	for _, p := range providers {
		t.defaults[string(p.ID)] = cmp.Or(defaults[string(p.ID)], p.DefaultLargeModelID)
		for _, m := range p.Models {
			t.models = append(t.models, infoOf(p, m))
		}
	}
	slices.SortFunc(t.models, func(a, b model.Info) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.ID, b.ID))
	})
	for i, m := range t.models {
		plain := plainID(m.ID)
		t.exact[key{m.Provider, m.ID}] = i
		t.plain[key{m.Provider, plain}] = i // the last, hence the newest date, wins
		if makers[m.Provider] {
			t.makers[key{"", plain}] = i
		}
	}
	return t
}
