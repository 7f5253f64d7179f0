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

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
)

// This file makes the snapshot from the data of catwalk. The program itself does not carry
// that data: to read it costs 10 ms and 5 MB at every start with a real model.

var update = flag.Bool("update-catalog", false, "write the snapshot anew (make catalog)")

func TestSnapshot(t *testing.T) {
	want := newSnapshot(t, embedded.GetAll())
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
func newSnapshot(t *testing.T, providers []catwalk.Provider) []byte {
	t.Helper()
	var infos []model.Info
	var out bytes.Buffer
	for _, p := range providers {
		if id := cmp.Or(defaults[string(p.ID)], p.DefaultLargeModelID); id != "" {
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

func infoOf(p catwalk.Provider, m catwalk.Model) model.Info {
	return model.Info{
		ID:            m.ID,
		Provider:      string(p.ID),
		Name:          m.Name,
		ContextWindow: int(m.ContextWindow),
		MaxOutput:     int(m.DefaultMaxTokens),
		Price:         priceOf(m),
		Thinking:      thinkingOf(m),
		Images:        m.SupportsImages,
		Known:         true,
	}
}

// priceOf reads the two cached prices of the data, which are not the same everywhere:
// mostly "in" is writing to the cache and "out" reading from it, but some entries have
// the reading price in "in", or the output price in "out". Reading is what is cheaper
// than input. A missing price is that of input.
func priceOf(m catwalk.Model) model.Price {
	p := model.Price{
		Input: m.CostPer1MIn, Output: m.CostPer1MOut,
		CacheRead: m.CostPer1MIn, CacheWrite: m.CostPer1MIn,
	}
	for _, cached := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		if cached > 0 {
			p.CacheRead = min(p.CacheRead, cached)
		}
	}
	p.CacheWrite = max(p.CacheWrite, m.CostPer1MInCached)
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
func thinkingOf(m catwalk.Model) []model.Thinking {
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
