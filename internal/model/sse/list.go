package sse

import (
	"cmp"
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

const (
	maxListed = 10_000           // models of one list
	listIdle  = 30 * time.Second // a list comes at once, or not at all
)

// List sends a request for the models of e, which are an object {"data": […]} on every
// wire, and reads each as a T. One that cannot be read, has no id, or comes twice is left out.
func List[T any](ctx context.Context, e *Endpoint, send Send, info func(T) model.Info) ([]model.Info, error) {
	var list struct {
		Data []jsontext.Value `json:"data"`
	}
	quick := *e
	quick.Idle = min(cmp.Or(e.Idle, DefaultIdle), listIdle)
	if err := quick.Fetch(ctx, send, &list); err != nil {
		return nil, err
	}
	infos := make([]model.Info, 0, min(len(list.Data), maxListed))
	seen := make(map[string]bool)
	for _, entry := range list.Data {
		var read T
		if len(infos) == maxListed || entry.Kind() != '{' || json.Unmarshal(entry, &read, Lenient) != nil {
			continue
		}
		i := info(read)
		if i.ID == "" || seen[i.ID] {
			continue
		}
		seen[i.ID] = true
		i.Provider, i.Name = e.Provider, cmp.Or(i.Name, i.ID)
		infos = append(infos, i)
	}
	if len(infos) == 0 && (list.Data == nil || len(list.Data) > 0) {
		return nil, &model.Error{Kind: model.BrokenStream, Provider: e.Provider, Message: "the answer is no list of models"}
	}
	return infos, nil
}
