package catalog

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
)

// This file makes the snapshot from the data of catwalk. The program itself does not carry that data: to read it costs
// 10 ms and 5 MB at every start with a real model. Neither does its module need that of the data, which is raised often.

var (
	source = flag.String("catalog-source", "", "the data, as tools/catalog prints it (make catalog)")
	update = flag.Bool("update-catalog", false, "write the snapshot anew")
)

// A sourceProvider is an entry of the data.
type sourceProvider struct {
	ID           string        `json:"id"`
	DefaultModel string        `json:"default_large_model_id"`
	Models       []sourceModel `json:"models"`
}

// A sourceModel is a model of the data. Prices are in dollars for a million tokens.
type sourceModel struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	CostIn          float64  `json:"cost_per_1m_in"`
	CostOut         float64  `json:"cost_per_1m_out"`
	CostInCached    float64  `json:"cost_per_1m_in_cached"`
	CostOutCached   float64  `json:"cost_per_1m_out_cached"`
	ContextWindow   int      `json:"context_window"`
	MaxTokens       int      `json:"default_max_tokens"`
	CanReason       bool     `json:"can_reason"`
	ReasoningLevels []string `json:"reasoning_levels"`
	Images          bool     `json:"supports_attachments"`
}

// TestSnapshot compares the snapshot with the data.
func TestSnapshot(t *testing.T) {
	if *source == "" {
		t.Skip("make catalog-current compares the snapshot with the data, which are in another module")
	}
	data, err := os.ReadFile(*source)
	if err != nil {
		t.Fatal(err)
	}
	var providers []sourceProvider
	if err := json.Unmarshal(data, &providers); err != nil {
		t.Fatal(err)
	}
	want := newSnapshot(t, providers)
	if *update {
		if err := os.WriteFile("snapshot.tsv", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, []byte(snapshot)) {
		t.Error("snapshot.tsv is not what the data gives: run make catalog")
	}
}

// newSnapshot writes the lines that doc.go describes.
func newSnapshot(t *testing.T, providers []sourceProvider) []byte {
	t.Helper()
	var infos []model.Info
	var out bytes.Buffer
	for _, p := range providers {
		if id := cmp.Or(defaults[p.ID], p.DefaultModel); id != "" {
			fmt.Fprintf(&out, "%s\t%s\t%s\n", defaultMark, p.ID, id)
		}
		for _, m := range p.Models {
			infos = append(infos, infoOf(p, m))
		}
	}
	infos = corrected(t, infos)
	for _, provider := range slices.Sorted(maps.Keys(ownDefaults)) {
		fmt.Fprintf(&out, "%s\t%s\t%s\n", defaultMark, provider, ownDefaults[provider])
	}
	slices.SortFunc(infos, func(a, b model.Info) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.ID, b.ID))
	})
	for _, info := range infos {
		line, err := json.Marshal(info, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		mark := ""
		if makers[info.Provider] {
			mark = makerMark
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\t%s\n", info.Provider, info.ID, plainID(info.ID), mark, line)
	}
	return out.Bytes()
}

// makers are the providers whose models others resell under the same names.
var makers = map[string]bool{
	"anthropic": true, "openai": true, "gemini": true, "xai": true, "deepseek": true, "zai": true, "moonshot": true, "minimax": true,
}

// defaults are where we prefer another model than the data does, which lags after.
var defaults = map[string]string{
	"anthropic":  "claude-sonnet-5",
	"copilot":    "claude-sonnet-5",
	"openrouter": "anthropic/claude-sonnet-5",
	"vercel":     "anthropic/claude-sonnet-5",
	"groq":       "openai/gpt-oss-120b", // it reasons, and takes every parameter that we send
}

// ownDefaults are those of providers that the data lacks.
var ownDefaults = map[string]string{"mistral": "mistral-medium-latest"}

func infoOf(p sourceProvider, m sourceModel) model.Info {
	return model.Info{
		ID:            m.ID,
		Provider:      p.ID,
		Name:          m.Name,
		ContextWindow: m.ContextWindow,
		MaxOutput:     m.MaxTokens,
		Price:         priceOf(m),
		Thinking:      thinkingOf(m),
		Images:        m.Images,
		Known:         true,
	}
}

// priceOf reads the two cached prices of the data, which are not the same everywhere:
// mostly "in" is writing to the cache and "out" reading from it, but some entries have
// the reading price in "in", or the output price in "out". Reading is what is cheaper
// than input. A missing price is that of input.
func priceOf(m sourceModel) model.Price {
	p := model.Price{
		Input: m.CostIn, Output: m.CostOut,
		CacheRead: m.CostIn, CacheWrite: m.CostIn,
	}
	for _, cached := range []float64{m.CostInCached, m.CostOutCached} {
		if cached > 0 {
			p.CacheRead = min(p.CacheRead, cached)
		}
	}
	p.CacheWrite = max(p.CacheWrite, m.CostInCached)
	return p
}

// levels are the data's words for thinking levels, in order.
var levels = []struct {
	word  string
	level model.Thinking
}{
	{"minimal", model.Minimal},
	{"low", model.Low},
	{"medium", model.Medium},
	{"high", model.High},
	{"xhigh", model.XHigh},
	{"max", model.XHigh},
}

// thinkingOf returns the levels of m. A model that reasons and names none is one that takes a
// budget, or whose effort the data does not know: it gets the three usual ones.
func thinkingOf(m sourceModel) []model.Thinking {
	if !m.CanReason {
		return nil
	}
	var out []model.Thinking
	for _, l := range levels {
		if slices.Contains(m.ReasoningLevels, l.word) && !slices.Contains(out, l.level) {
			out = append(out, l.level)
		}
	}
	if len(out) == 0 {
		return []model.Thinking{model.Low, model.Medium, model.High}
	}
	return out
}
