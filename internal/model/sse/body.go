package sse

import (
	"bytes"
	"slices"
	"sync"

	"parley.dev/parley/internal/model"
)

// keptLists is how many lists of tools are kept: those of a few kinds of sessions.
const keptLists = 8

// Tools keeps what lists of tools are on a wire. Each request names the same ones, and to
// encode them takes longer than the rest of a short one.
type Tools struct {
	mu   sync.Mutex
	kept []toolList // the one that was used last is first
}

type toolList struct {
	specs []model.ToolSpec
	data  []byte
}

// A marshaler is a parameter of an SDK.
type marshaler interface{ MarshalJSON() ([]byte, error) }

// Body is the body of a request for a stream: the parameters, which lack their tools, and those
// as encode would have them. That it is for a stream the SDKs say again: standing first it is
// found at once, and not behind all the rest.
func Body[T marshaler](kept *Tools, params marshaler, specs []model.ToolSpec, encode func([]model.ToolSpec) []T) ([]byte, error) {
	body, err := params.MarshalJSON()
	if err != nil {
		return nil, err
	}
	body = slices.Concat([]byte(`{"stream":true,`), bytes.TrimPrefix(body, []byte("{")))
	if len(specs) == 0 {
		return body, nil
	}
	tools, err := kept.list(specs, func() ([]byte, error) { return array(encode(specs)) })
	if err != nil {
		return nil, err
	}
	return slices.Concat(bytes.TrimSuffix(body, []byte("}")), []byte(`,"tools":`), tools, []byte("}")), nil
}

func array[T marshaler](all []T) ([]byte, error) {
	data := []byte("[")
	for i, one := range all {
		if i > 0 {
			data = append(data, ',')
		}
		part, err := one.MarshalJSON()
		if err != nil {
			return nil, err
		}
		data = append(data, part...)
	}
	return append(data, ']'), nil
}

// list is what specs are on the wire: as before, or as encode says.
func (t *Tools) list(specs []model.ToolSpec, encode func() ([]byte, error)) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.kept, func(l toolList) bool { return slices.EqualFunc(l.specs, specs, sameSpec) })
	if i < 0 {
		data, err := encode()
		if err != nil {
			return nil, err
		}
		i = min(len(t.kept), keptLists-1)
		t.kept = append(t.kept[:i], toolList{slices.Clone(specs), data})
	}
	found := t.kept[i]
	copy(t.kept[1:i+1], t.kept[:i])
	t.kept[0] = found
	return found.data, nil
}

func sameSpec(a, b model.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}
