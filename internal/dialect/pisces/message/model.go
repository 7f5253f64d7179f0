package message

import (
	"cmp"

	"parley.dev/parley/internal/model"
)

// Model is the model that answers are of.
type Model struct {
	ID       string
	Provider string
	API      string
	Cost     ModelCost
}

// ModelOf returns what messages say of a model.
func ModelOf(info model.Info) Model {
	return Model{ID: info.ID, Provider: info.Provider, API: APIOf(info), Cost: CostOf(info)}
}

// APIOf returns the wire that a model is requested by.
func APIOf(info model.Info) string {
	switch cmp.Or(info.API, info.Provider) {
	case "anthropic":
		return APIAnthropic
	case "responses", "openai":
		return APIResponses
	}
	return APICompletions
}

// CostOf returns the price of a model's short requests: there is no word for that of long ones.
func CostOf(info model.Info) ModelCost {
	p := info.Price
	return ModelCost{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite}
}
