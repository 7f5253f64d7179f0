package openai

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// detailsSignature begins the Signature of a thinking block that holds reasoning_details.
const detailsSignature = "reasoning_details:"

// keptDetails is what follows detailsSignature.
type keptDetails struct {
	Details []detail `json:"details"`
	// Calls are the ids that the server gave the calls of the answer. Details name them, and go back with
	// those that the calls have by then: servers repeat ids, and other endpoints take other ones.
	Calls []string `json:"calls,omitzero"`
}

// A detail is an entry of reasoning_details (OpenRouter, "Reasoning tokens"). Which members there
// are depends on the provider that OpenRouter forwards to; all of them go back.
type detail map[string]jsontext.Value

// detailTexts are the members of a detail that are text for the user, and grow over several chunks.
var detailTexts = []string{"text", "summary"}

// detailsText returns what of the details of one chunk is shown to the user, as a JSON string.
func detailsText(details []detail) jsontext.Value {
	var all strings.Builder
	for _, d := range details {
		for _, name := range detailTexts {
			if d[name].Kind() == '"' {
				text, _ := jsontext.AppendUnquote(nil, d[name]) // half a rune becomes a replacement character
				all.Write(text)
			}
		}
	}
	quoted, err := jsontext.AppendQuote(nil, all.String())
	if err != nil {
		return nil
	}
	return quoted
}

// addDetails keeps the details of a chunk. An entry continues the last one of the same type and index.
func (c *chatAnswer) addDetails(details []detail) {
	for _, d := range details {
		if last := len(c.details) - 1; last >= 0 && d.continues(c.details[last]) {
			c.details[last].join(d)
		} else if d != nil {
			c.details = append(c.details, maps.Clone(d))
		}
	}
}

func (d detail) continues(last detail) bool {
	for _, name := range detailTexts {
		if string(d["type"]) == `"reasoning.`+name+`"` {
			return string(last["type"]) == string(d["type"]) && string(last["index"]) == string(d["index"])
		}
	}
	return false
}

func (d detail) join(more detail) {
	for name, value := range more {
		switch {
		case slices.Contains(detailTexts, name) && value.Kind() == '"' && d[name].Kind() == '"':
			text := append(append(jsontext.Value{}, d[name][:len(d[name])-1]...), value[1:]...)
			d[name] = text
		case value.Kind() != 'n':
			d[name] = value
		}
	}
}

// seal signs the reasoning of a finished answer with its details, which are complete then.
func (c *chatAnswer) seal(to *sse.Answer) {
	if len(c.details) == 0 {
		return
	}
	kept := keptDetails{Details: c.details}
	for _, call := range c.calls {
		kept.Calls = append(kept.Calls, call.id)
	}
	data, err := json.Marshal(kept, json.Deterministic(true), sse.Lenient)
	if err != nil {
		return
	}
	if !c.thought {
		c.thinking = to.Open()
	}
	to.Sign(c.thinking, detailsSignature+string(data))
}

// detailsOf returns the reasoning_details of m; nil: it has none.
func detailsOf(m model.Message) []detail {
	for _, b := range m.Blocks {
		data, ok := strings.CutPrefix(b.Signature, detailsSignature)
		var kept keptDetails
		if !ok || json.Unmarshal([]byte(data), &kept, sse.Lenient) != nil {
			continue
		}
		ids := map[string]string{}
		for i, call := range m.Calls() {
			if i < len(kept.Calls) {
				ids[kept.Calls[i]] = call.ID
			}
		}
		rename(kept.Details, ids)
		return kept.Details
	}
	return nil
}

// rename gives the details of calls the ids that these have.
func rename(details []detail, ids map[string]string) {
	for _, d := range details {
		old, err := jsontext.AppendUnquote(nil, d["id"])
		if id, ok := ids[string(old)]; ok && err == nil && len(old) > 0 {
			d["id"] = quoted(id)
		}
	}
}
