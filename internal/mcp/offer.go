package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/tool"
)

// An offer is a tool as its server has it.
type offer struct {
	name        string // that the server knows it by
	shown       string // name without secrets
	description string
	schema      jsontext.Value
	readOnly    bool
}

// maxDescription bounds the description of a tool, in bytes, and maxSchema its schema.
const (
	maxDescription = 4 << 10
	maxSchema      = 64 << 10
)

// anyObject is the schema that leaves all checks to the server.
const anyObject = `{"type":"object"}`

// offerOf returns the offer of a tool, without the secrets that hide knows in what is shown of it.
func offerOf(t *sdk.Tool, hide hider) offer {
	o := offer{name: t.Name, shown: hide.content(t.Name), description: brief(t.Description, maxDescription), schema: jsontext.Value(anyObject)}
	if t.Annotations != nil {
		o.readOnly = t.Annotations.ReadOnlyHint
		if o.description == "" {
			o.description = brief(t.Annotations.Title, maxDescription)
		}
	}
	if o.description == "" {
		o.description = brief(t.Title, maxDescription)
	}
	schema, ok := schemaOf(t.InputSchema)
	if ok {
		schema = hide.json(schema)
	}
	switch {
	case !ok:
	case len(schema) <= maxSchema && canResolve(schema):
		o.schema = schema
	default: // we cannot check inputs by it, but a model may read it
		o.description = strings.TrimSpace(o.description + "\n\nThe input fits this JSON Schema: " + brief(string(schema), maxDescription))
	}
	o.description = hide.content(o.description)
	return o
}

// schemaOf returns the server's schema, which is at least one of objects; false: there is none.
func schemaOf(from any) (jsontext.Value, bool) {
	fields, ok := from.(map[string]any)
	if !ok || len(fields) == 0 {
		return nil, false
	}
	fields["type"] = "object"
	schema, err := json.Marshal(fields, json.Deterministic(true))
	return schema, err == nil
}

// canResolve reports whether inputs can be checked by a schema, as the engine does it.
func canResolve(schema jsontext.Value) bool {
	var s jsonschema.Schema
	if json.Unmarshal(schema, &s) != nil {
		return false
	}
	_, err := s.Resolve(nil)
	return err == nil
}

// A remote is an offer to one session. It is a tool.Remote.
type remote struct {
	user  *user
	offer offer
	name  string // that models know it by
}

func (r *remote) Name() string           { return r.name }
func (r *remote) Description() string    { return r.offer.description }
func (r *remote) Schema() jsontext.Value { return r.offer.schema }

func (r *remote) Origin() (server, name string) { return r.user.name, r.offer.shown }

// ChecksInput makes r a tool.Checker: the server judges what it gets.
func (r *remote) ChecksInput() {}

// Deferrable makes r a tool.Deferrable.
func (r *remote) Deferrable() {}

// Prepare leaves the input as it is: the server knows what it means.
func (r *remote) Prepare(_ *tool.Env, input jsontext.Value) (tool.Call, error) {
	input = input.Clone()
	if err := input.Compact(); err != nil {
		return nil, err
	}
	return &call{remote: r, input: input}, nil
}

// Names of tools for models: providers allow 64 bytes of [A-Za-z0-9_-].
const (
	maxName  = 64
	nameHash = 8 // hexadecimal digits that make a name distinct
)

// nameAll sets the name of every offer. Those that would have the same one get a hash of
// what they come from, all of them, so that a name does not depend on the order.
func nameAll(offers []*remote) {
	count := map[string]int{}
	for _, o := range offers {
		o.name = nameOf(o.Origin())
		count[o.name]++
	}
	for _, o := range offers {
		if count[o.name] > 1 {
			server, name := o.Origin()
			o.name = distinct(o.name, server, name)
		}
	}
}

// nameOf is mcp__<server>__<tool>, with a hash at the end if it had to be cut.
func nameOf(server, tool string) string {
	name := "mcp__" + safe(server) + "__" + safe(tool)
	if len(name) > maxName {
		return distinct(name, server, tool)
	}
	return name
}

func distinct(name, server, tool string) string {
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	suffix := "_" + hex.EncodeToString(sum[:])[:nameHash]
	return name[:min(len(name), maxName-len(suffix))] + suffix
}

// safe returns text with _ for each character that names cannot have.
func safe(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, text)
}
