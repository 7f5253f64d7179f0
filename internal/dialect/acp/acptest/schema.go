package acptest

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"
)

// The drafts whose schemas are checked in.
const (
	V1         = "v1"
	V1Unstable = "v1-unstable"
	V2         = "v2"
)

//go:embed schema
var files embed.FS

// A side is the peer that handles a method, in the words of the schema.
type side string

const (
	agentSide  side = "agent"
	clientSide side = "client"
	bothSides  side = "protocol"
)

// A part is the role of a definition: the params of a request or a notification, or the result of a request.
type part string

const (
	request      part = "Request"
	notification part = "Notification"
	response     part = "Response"
)

// A use is what a definition of the schema is for.
type use struct {
	side   side
	method string
	part   part
}

// A document is the schema of one draft.
type document struct {
	source string               // the comment that names package, version and licence
	names  map[use]string       // definitions by what they are for
	parts  *jsonschema.Resolved // an object with one member, named for a definition
}

// documents are the parsed schemas, each read when it is first used.
var documents = map[string]func() (*document, error){
	V1:         sync.OnceValues(func() (*document, error) { return load(V1) }),
	V1Unstable: sync.OnceValues(func() (*document, error) { return load(V1Unstable) }),
	V2:         sync.OnceValues(func() (*document, error) { return load(V2) }),
}

func load(draft string) (*document, error) {
	text, err := files.ReadFile("schema/" + draft + ".json")
	if err != nil {
		return nil, err
	}
	return parse(text)
}

// parse reads a schema.
func parse(text []byte) (*document, error) {
	var whole jsonschema.Schema
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	d := &document{source: whole.Comment, names: map[use]string{}}
	one := &jsonschema.Schema{
		Defs: whole.Defs, Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for name, def := range whole.Defs {
		if u, ok := useOf(name, def); ok {
			d.names[u] = name
		}
		one.Properties[name] = &jsonschema.Schema{Ref: "#/$defs/" + name}
	}
	chooseByTag(one)
	closeObjects(one)
	var err error
	if d.parts, err = one.Resolve(nil); err != nil {
		return nil, fmt.Errorf("resolve the schema: %w", err)
	}
	return d, nil
}

// useOf returns what a definition is for; most are parts of others.
func useOf(name string, def *jsonschema.Schema) (use, bool) {
	method, _ := def.Extra["x-method"].(string)
	handler, _ := def.Extra["x-side"].(string)
	for _, p := range []part{request, notification, response} {
		if method != "" && strings.HasSuffix(name, string(p)) {
			return use{side(handler), method, p}, true
		}
	}
	return use{}, false
}

// fits returns nil if a value is what a definition allows.
func (d *document) fits(name string, value any) error {
	if err := d.parts.Validate(map[string]any{name: value}); err != nil {
		return errors.New(brief(err))
	}
	return nil
}
