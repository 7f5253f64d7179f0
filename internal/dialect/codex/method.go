package codex

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A schemaMethod is a method of the schema that clients can call.
type schemaMethod struct {
	tier         int      // see methods.txt
	experimental bool     // only for clients with the capability experimentalApi
	members      []string // experimental members of its params
}

// A handler is a method that is served.
type handler struct {
	method string
	decode func(params jsontext.Value) (any, error) // nil: there are none; it returns what answer is given
	answer func(*conn, context.Context, jsonrpc.ID, any)
}

// chapters are the handlers of each chapter of the protocol. A new chapter is a file with a list of its own, and a line here.
func chapters() []handler {
	return slices.Concat(
		initializeMethods(), threadMethods(), threadListMethods(), turnMethods(), modelMethods(), providerMethods(), accountMethods(), configMethods(), configWriteMethods(), skillMethods(), terminalMethods(), readStateMethods(), goalMethods(), reviewMethods(), serverMethods(), execMethods(), fuzzyMethods(), fileMethods(), watchMethods(), injectMethods(), sampleMethods(), emptyMethods(),
	)
}

// schemaMethods are the methods of the schema, by name.
var schemaMethods = lazy.Value[map[string]schemaMethod]{New: makeSchemaMethods}

// built are the handlers by method, once there is a request.
var built struct {
	sync.Once
	handlers map[string]handler
}

// handlers returns all of them, by method.
func handlers() map[string]handler {
	built.Do(func() {
		all := map[string]handler{}
		for _, h := range chapters() {
			if _, twice := all[h.method]; twice || schemaMethods.Get()[h.method].tier == 0 {
				panic(fmt.Sprintf("codex: method %s is served twice, or not one of the schema", h.method))
			}
			all[h.method] = h
		}
		built.handlers = all
	})
	return built.handlers
}

// on returns the handler of a method, given what answers it and what its params must be beyond their types.
func on[P any](method string, answer func(*conn, context.Context, jsonrpc.ID, *P), checks ...func(*P) error) handler {
	decode := func(value jsontext.Value) (any, error) {
		if value == nil {
			value = jsontext.Value("{}")
		}
		params := new(P)
		if err := wire.DecodeValue(value, params, frames.Object); err != nil {
			return nil, err
		}
		for _, check := range checks {
			if err := check(params); err != nil {
				return nil, err
			}
		}
		return params, nil
	}
	return handler{method, decode, func(c *conn, ctx context.Context, id jsonrpc.ID, params any) { answer(c, ctx, id, params.(*P)) }}
}

// find returns the handler of a request, or why it has none.
func (c *conn) find(r request) (handler, *jsonrpc.Error) {
	known, ok := schemaMethods.Get()[r.method]
	switch {
	case !ok:
		return handler{}, invalid("unknown method `" + abridged(r.method) + "`")
	case known.experimental && !c.experimental:
		return handler{}, refused(r.method + " requires experimentalApi capability")
	}
	h, ok := handlers()[r.method]
	if !ok {
		return handler{}, refused(r.method + " is not offered by parley")
	}
	if !c.experimental && len(known.members) > 0 {
		obj, err := r.object()
		if err != nil {
			return handler{}, paramsError(err)
		}
		for _, member := range known.members {
			if value, given := obj.Get(member); given && value.Kind() != jsontext.KindNull {
				return handler{}, refused(r.method + "." + member + " requires experimentalApi capability")
			}
		}
	}
	return h, nil
}
