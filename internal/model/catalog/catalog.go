package catalog

import (
	"cmp"
	_ "embed"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/cache"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// What is assumed of a model outside the catalogue, in tokens.
const (
	DefaultContextWindow = 128_000
	DefaultMaxOutput     = 16_384

	// DefaultReasoningOutput is the output of a model that reasons: its reasoning counts (OpenAI,
	// "Reasoning models", advises to keep 25,000 tokens free for it).
	DefaultReasoningOutput = 32_000
)

//go:embed snapshot.tsv
var snapshot string

// The marks of the snapshot's lines; doc.go.
const (
	defaultMark = "*"
	makerMark   = "m"
)

// Lookup returns what is known of the model that provider calls id. The provider's own entry
// counts most, then one that differs only in date, vendor prefix or spelling of the
// version (claude-opus-4.5 is claude-opus-4-5-20251101), then the maker's entry, so that
// a gateway's models are known, too. An id outside the catalogue is no error: it gets
// the defaults above, the window and the thinking levels that its name says, no price, and Known false. It is taken
// to accept images: lists of endpoints do not say it, and a refusal is learned.
func Lookup(provider, id string) model.Info {
	info := looked.Get([2]string{provider, id}, look)
	info.Thinking = slices.Clone(info.Thinking)
	return info
}

// looked is what was looked up before: each turn asks for its model, several times.
var looked = cache.Bounded[[2]string, model.Info]{Max: 64}

func look(name [2]string) model.Info {
	provider, id := name[0], name[1]
	info := model.Info{Name: id, ContextWindow: cmp.Or(windowOf(id), DefaultContextWindow), MaxOutput: DefaultMaxOutput, Thinking: levelsOf(id), Images: true}
	if len(info.Thinking) > 0 {
		info.MaxOutput = DefaultReasoningOutput
	}
	if data := find(provider, id); data != "" {
		info = parse(data)
	}
	info.Provider, info.ID = provider, id
	return info
}

// find returns the data of the entry that fits best; "" if none does.
func find(provider, id string) (data string) {
	if strings.ContainsAny(provider+id, "\t\n") {
		return ""
	}
	if _, rest, ok := strings.Cut(snapshot, "\n"+provider+"\t"+id+"\t"); ok {
		line, _, _ := strings.Cut(rest, "\n")
		return line[strings.LastIndexByte(line, '\t')+1:]
	}
	plain, made := plainID(id), ""
	for line := range strings.Lines(snapshot) {
		e := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if e[0] == defaultMark || e[2] != plain {
			continue
		}
		if e[0] == provider {
			data = e[4] // the last, hence the newest date, wins
		}
		if e[3] == makerMark {
			made = e[4]
		}
	}
	if data == "" {
		return made
	}
	return data
}

func parse(data string) (info model.Info) {
	if err := json.Unmarshal([]byte(data), &info); err != nil {
		panic("catalog: snapshot.tsv: " + err.Error()) // it is part of the program, and tested
	}
	return info
}

// All returns every model of the catalogue, sorted by provider and id.
func All() []model.Info {
	var all []model.Info
	for line := range strings.Lines(snapshot) {
		if e := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); e[0] != defaultMark {
			all = append(all, parse(e[4]))
		}
	}
	return all
}

// IDs returns the ids of the models that the catalogue has of provider, sorted. It reads no more
// of the entries, and the first answer is kept.
func IDs(provider string) iter.Seq[string] {
	return slices.Values(ids.Get(provider, func(provider string) (found []string) {
		for line := range strings.Lines(snapshot) {
			if of, rest, _ := strings.Cut(line, "\t"); of == provider && of != defaultMark {
				id, _, _ := strings.Cut(rest, "\t")
				found = append(found, id)
			}
		}
		return found
	}))
}

var ids = cache.Bounded[string, []string]{Max: 64}

// Default returns the id of a current model of provider that is strong at coding; "" if the
// catalogue does not know the provider.
func Default(provider string) string {
	_, rest, _ := strings.Cut("\n"+snapshot, "\n"+defaultMark+"\t"+provider+"\t")
	id, _, _ := strings.Cut(rest, "\n")
	return id
}

// dated is a date at the end of an id, or "latest".
var dated = lazy.Regexp{Expr: `-(20\d{6}|20\d\d-\d\d-\d\d|latest)$`}

// plainID returns id without vendor prefix, date and capitals, its versions spelled with dashes.
func plainID(id string) string {
	id = strings.ToLower(id[strings.LastIndexByte(id, '/')+1:])
	return strings.ReplaceAll(dated.Get().ReplaceAllString(id, ""), ".", "-")
}
