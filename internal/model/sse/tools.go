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
