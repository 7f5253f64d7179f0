package toolschema

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"parley.dev/parley/internal/cache"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// maxLists is the number of lists of tools in a Cache: those of a few kinds of sessions.
const maxLists = 8

// A Cache holds lists of tools as endpoints take them: each request of a session has the same. The
// zero value is ready.
type Cache struct {
	once  sync.Once
	lists cache.LRU[cacheKey, *list]
}

// A cacheKey is a list of tools, and the dialect for which it is rewritten.
type cacheKey struct {
	dialect profile.Schema
	specs   model.ToolSpecs
}

// Equal reports whether both keys have the same rewritten tools.
func (k cacheKey) Equal(other cacheKey) bool {
	return k.dialect == other.dialect && k.specs.Equal(other.specs)
}

// Clone returns a copy.
func (k cacheKey) Clone() cacheKey { return cacheKey{k.dialect, k.specs.Clone()} }

// A list is the tools of a request as the endpoint takes them.
type list struct {
	fitted []model.ToolSpec
	back   map[string]map[string]string // by tool: own names of properties by those that are sent
	forth  map[string]map[string]string // the other way round
}

// A Sender sends a request and yields its answer.
type Sender func(context.Context, *model.Request) iter.Seq2[model.Delta, error]

// Stream calls send with the tools of req as an endpoint of the dialect takes them. Inputs of calls
// have the tool's own names of properties, in the answer too.
func (c *Cache) Stream(ctx context.Context, req *model.Request, dialect profile.Schema, send Sender) iter.Seq2[model.Delta, error] {
	if len(req.Tools) == 0 {
		return send(ctx, req)
	}
	tools := c.list(req.Tools, dialect)
	fitted := *req
	fitted.Tools = tools.fitted
	if len(tools.back) == 0 {
		return send(ctx, &fitted)
	}
	fitted.Messages = slices.Clone(req.Messages)
	for i := range fitted.Messages {
		fitted.Messages[i] = withInputs(fitted.Messages[i], tools.forth)
	}
	return func(yield func(model.Delta, error) bool) {
		for d, err := range send(ctx, &fitted) {
			if d.Kind == model.Done && d.Response != nil {
				response := *d.Response
				response.Message = withInputs(response.Message, tools.back)
				d.Response = &response
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// list returns specs as the dialect has them.
func (c *Cache) list(specs []model.ToolSpec, dialect profile.Schema) *list {
	c.once.Do(func() { c.lists.Max = maxLists })
	fitted, _ := c.lists.Get(cacheKey{dialect, specs}, func() (*list, error) { return fitAll(specs, dialect), nil })
	return fitted
}

func fitAll(specs []model.ToolSpec, dialect profile.Schema) *list {
	l := &list{fitted: slices.Clone(specs)}
	for i, spec := range specs {
		fitted := Fit(spec.Schema, dialect)
		l.fitted[i].Schema = fitted.Schema
		if len(fitted.Names) == 0 {
			continue
		}
		if l.back == nil {
			l.back, l.forth = map[string]map[string]string{}, map[string]map[string]string{}
		}
		forth := make(map[string]string, len(fitted.Names))
		for sent, own := range maps.All(fitted.Names) {
			forth[own] = sent
		}
		l.back[spec.Name], l.forth[spec.Name] = fitted.Names, forth
	}
	return l
}

// withInputs returns m with the inputs of its calls renamed, by tool.
func withInputs(m model.Message, names map[string]map[string]string) model.Message {
	blocks := m.Blocks
	for i, b := range m.Blocks {
		if b.Kind != model.KindToolCall || names[b.Call.Name] == nil {
			continue
		}
		if &blocks[0] == &m.Blocks[0] {
			blocks = slices.Clone(m.Blocks)
		}
		call := *b.Call
		call.Input = renamed(call.Input, names[call.Name])
		blocks[i].Call = &call
	}
	m.Blocks = blocks
	return m
}
