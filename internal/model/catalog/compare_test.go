package catalog

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	gocmp "github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
)

// This file compares the catalogue with a second source: the list of models.dev, which is made by hand from
// the pages of the providers. The tests compare a part of it that is checked in; "make catalog-check" gets
// the current list and prints where it differs from the snapshot.

var second = flag.String("compare-catalog", "", "the address of a list in the form of models.dev, to print the differences (make catalog-check)")

// compared are the providers whose entries are compared, with their names in the list.
var compared = []struct{ ours, theirs string }{
	{"anthropic", "anthropic"},
	{"deepseek", "deepseek"},
	{"gemini", "google"},
	{"groq", "groq"},
	{"mistral", "mistral"},
	{"moonshot", "moonshotai"},
	{"openai", "openai"},
	{"xai", "xai"},
}

// A listedProvider is an entry of the list, https://models.dev/api.json.
type listedProvider struct {
	Models map[string]listedModel `json:"models"`
}

type listedModel struct {
	Reasoning bool `json:"reasoning"`
	ToolCall  bool `json:"tool_call"`
	Limit     struct {
		Context int `json:"context"`
		Output  int `json:"output"`
	} `json:"limit"`
	Cost struct {
		Input      float64 `json:"input"`
		Output     float64 `json:"output"`
		CacheRead  float64 `json:"cache_read"`
		CacheWrite float64 `json:"cache_write"`
	} `json:"cost"`
	Modalities struct {
		Input []string `json:"input"`
	} `json:"modalities"`
}

// differences returns where the entries of ours differ from the list, and which models with tools one of
// them lacks.
func differences(ours []model.Info, list map[string]listedProvider) (all []string) {
	for _, names := range compared {
		theirs := list[names.theirs].Models
		seen := map[string]bool{}
		for _, info := range ours {
			if info.Provider != names.ours {
				continue
			}
			seen[info.ID] = true
			name := names.ours + "/" + info.ID
			if other, ok := theirs[info.ID]; ok {
				all = append(all, compare(name, info, other)...)
			} else {
				all = append(all, name+": not in the list")
			}
		}
		for id, other := range theirs {
			if other.ToolCall && !seen[id] {
				all = append(all, fmt.Sprintf("%s/%s: not in the catalogue", names.ours, id))
			}
		}
	}
	slices.Sort(all)
	return all
}

func compare(name string, info model.Info, other listedModel) (all []string) {
	for _, value := range []struct {
		what        string
		own, theirs float64
	}{
		{"context_window", float64(info.ContextWindow), float64(other.Limit.Context)},
		{"max_output", float64(info.MaxOutput), float64(other.Limit.Output)},
		{"price.input", info.Price.Input, other.Cost.Input},
		{"price.output", info.Price.Output, other.Cost.Output},
		{"price.cache_read", info.Price.CacheRead, cmp.Or(other.Cost.CacheRead, info.Price.CacheRead)},
		{"price.cache_write", info.Price.CacheWrite, cmp.Or(other.Cost.CacheWrite, info.Price.CacheWrite)},
	} {
		if math.Abs(value.own-value.theirs) > 1e-9 {
			all = append(all, fmt.Sprintf("%s: %s is %v, in the list %v", name, value.what, value.own, value.theirs))
		}
	}
	if images := slices.Contains(other.Modalities.Input, "image"); images != info.Images {
		all = append(all, fmt.Sprintf("%s: images is %t, in the list %t", name, info.Images, images))
	}
	if reasons := len(info.Thinking) > 0; reasons != other.Reasoning {
		all = append(all, fmt.Sprintf("%s: it has thinking levels: %t, in the list it reasons: %t", name, reasons, other.Reasoning))
	}
	return all
}

// TestSecondSource compares entries with a part of the list. With -compare-catalog it prints all differences
// from the list at that address; they are no failure, because either may be right.
func TestSecondSource(t *testing.T) {
	if *second != "" {
		all := differences(All(), list(t, get(t, *second)))
		fmt.Printf("%d differences from %s\n%s\n", len(all), *second, strings.Join(all, "\n"))
		return
	}
	data, err := os.ReadFile("testdata/modelsdev.json")
	if err != nil {
		t.Fatal(err)
	}
	ours := []model.Info{
		{Provider: "groq", ID: "same", ContextWindow: 131_072, MaxOutput: 8192, Price: model.Price{Input: 0.1, Output: 0.2, CacheRead: 0.1, CacheWrite: 0.1}},
		{Provider: "groq", ID: "other", ContextWindow: 131_072, MaxOutput: 8192, Price: model.Price{Input: 1, Output: 2, CacheRead: 0.1, CacheWrite: 1}, Thinking: threeLevels},
		{Provider: "groq", ID: "old", ContextWindow: 4096},
		{Provider: "ours", ID: "not compared"},
	}
	want := []string{
		"groq/new: not in the catalogue",
		"groq/old: not in the list",
		"groq/other: context_window is 131072, in the list 262144",
		"groq/other: images is false, in the list true",
		"groq/other: it has thinking levels: true, in the list it reasons: false",
		"groq/other: price.cache_read is 0.1, in the list 0.5",
		"groq/other: price.output is 2, in the list 3",
	}
	if diff := gocmp.Diff(want, differences(ours, list(t, data))); diff != "" {
		t.Error(diff)
	}
}

func list(t *testing.T, data []byte) (all map[string]listedProvider) {
	t.Helper()
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// get returns what is at an address.
func get(t *testing.T, address string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, 64<<20))
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, answer.Status, err)
	}
	return data
}
