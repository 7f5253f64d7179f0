package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A schema is the part of JSON Schema that the published document uses.
type schema struct {
	Any        bool // the schema true
	Title      string
	Ref        string
	Type       []string
	Enum       []string
	Properties map[string]*schema
	Required   []string
	Items      *schema
	Additional *schema // of additionalProperties; nil: absent or false
	OneOf      []*schema
	AnyOf      []*schema
	AllOf      []*schema
	Default    json.RawMessage
	Null       []string // members that the program writes as null if they have no value
}

// UnmarshalJSON reads a schema; "type" and "additionalProperties" have two forms.
func (s *schema) UnmarshalJSON(data []byte) error {
	if string(data) == "true" {
		s.Any = true
		return nil
	}
	var raw struct {
		Title                string             `json:"title"`
		Ref                  string             `json:"$ref"`
		Type                 json.RawMessage    `json:"type"`
		Enum                 []any              `json:"enum"`
		Properties           map[string]*schema `json:"properties"`
		Required             []string           `json:"required"`
		Items                *schema            `json:"items"`
		AdditionalProperties json.RawMessage    `json:"additionalProperties"`
		OneOf                []*schema          `json:"oneOf"`
		AnyOf                []*schema          `json:"anyOf"`
		AllOf                []*schema          `json:"allOf"`
		Default              json.RawMessage    `json:"default"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*s = schema{
		Title: raw.Title, Ref: raw.Ref, Properties: raw.Properties, Required: raw.Required, Items: raw.Items,
		OneOf: raw.OneOf, AnyOf: raw.AnyOf, AllOf: raw.AllOf, Default: raw.Default,
	}
	for _, value := range raw.Enum {
		s.Enum = append(s.Enum, fmt.Sprint(value))
	}
	switch {
	case strings.HasPrefix(string(raw.Type), "["):
		if err := json.Unmarshal(raw.Type, &s.Type); err != nil {
			return err
		}
	case raw.Type != nil:
		var one string
		if err := json.Unmarshal(raw.Type, &one); err != nil {
			return err
		}
		s.Type = []string{one}
	}
	if more := string(raw.AdditionalProperties); more != "" && more != "false" {
		s.Additional = &schema{}
		return json.Unmarshal(raw.AdditionalProperties, s.Additional)
	}
	return nil
}

// is reports whether a schema is of that type, and of no other but null.
func (s *schema) is(kind string) bool {
	types := slices.DeleteFunc(slices.Clone(s.Type), func(t string) bool { return t == "null" })
	return len(types) == 1 && types[0] == kind
}

// nullable reports whether null is a value, and returns the schema of the other values.
func (s *schema) nullable() (*schema, bool) {
	null := slices.Contains(s.Type, "null")
	if len(s.AnyOf) == 2 {
		for i, part := range s.AnyOf {
			if len(part.Type) == 1 && part.Type[0] == "null" {
				return s.AnyOf[1-i], true
			}
		}
	}
	return s, null
}

// names returns the members, the tag of a union and the id first.
func (s *schema) names() []string {
	rank := map[string]int{"type": -2, "mode": -2, "kind": -2, "id": -1}
	return slices.SortedFunc(maps.Keys(s.Properties), func(a, b string) int {
		if d := rank[a] - rank[b]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// A document is the published schema.
type document struct {
	Defs         map[string]*schema  `json:"definitions"`
	Version      string              `json:"x-version"`
	Experimental experimentalMembers `json:"x-experimental"`
	Null         map[string][]string `json:"x-null"` // members that are null if they have no value, by the path of their object
}

// mark notes in a schema, and in what stands in it, the members that are null if they have no value.
func (s *schema) mark(path string, null map[string][]string) {
	s.Null = null[path]
	s.within(path, func(below string, part *schema) { part.mark(below, null) })
}

// within calls do with each schema that stands in this one, and its path.
func (s *schema) within(path string, do func(string, *schema)) {
	for name, member := range s.Properties {
		do(path+"."+name, member)
	}
	for _, part := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		do(path+part.tag(), part)
	}
	if s.Items != nil {
		do(path+"[]", s.Items)
	}
	if s.Additional != nil {
		do(path+"{}", s.Additional)
	}
}

// experimentalMembers are what a client must ask for before it uses it.
type experimentalMembers struct {
	Methods []string            `json:"methods"`
	Members map[string][]string `json:"members"` // of the params, by method
}

// def returns what a reference names.
func (d *document) def(ref string) (string, *schema) {
	name := ref[strings.LastIndexByte(ref, '/')+1:]
	if other, ok := renamed[name]; ok {
		name = other
	}
	s, ok := d.Defs[name]
	if !ok {
		panic("codexschema: no definition " + ref)
	}
	return name, s
}

// A call is a method of one direction.
type call struct {
	method string
	params *schema // nil: none
	result string  // the name of its definition; "": none
}

// calls returns the methods of a union: ClientRequest, ServerRequest or ServerNotification.
func (d *document) calls(union string) map[string]call {
	found := map[string]call{}
	for _, variant := range d.Defs[union].OneOf {
		c := call{method: variant.Properties["method"].Enum[0]}
		if p := variant.Properties["params"]; p != nil {
			if p, _ = p.nullable(); p.Ref != "" {
				c.params = p
				name, _ := d.def(p.Ref)
				c.result = strings.TrimSuffix(name, "Params") + "Response"
			}
		}
		if name, ok := results[c.method]; ok {
			c.result = name
		}
		if d.Defs[c.result] == nil {
			c.result = ""
		}
		found[c.method] = c
	}
	return found
}

// results names the results that do not have the name of their params.
var results = map[string]string{
	"config/value/write":                       "ConfigWriteResponse",
	"config/batchWrite":                        "ConfigWriteResponse",
	"config/mcpServer/reload":                  "McpServerRefreshResponse",
	"configRequirements/read":                  "ConfigRequirementsReadResponse",
	"account/logout":                           "LogoutAccountResponse",
	"account/securitySetup/read":               "GetAccountSecuritySetupResponse",
	"account/workspaceMessages/read":           "GetWorkspaceMessagesResponse",
	"account/gatewayOAuth/cancel":              "GatewayOAuthCancelResponse",
	"windowsSandbox/readiness":                 "WindowsSandboxReadinessResponse",
	"externalAgentConfig/import/readHistories": "ExternalAgentConfigImportHistoriesReadResponse",
	"memory/reset":                             "MemoryResetResponse",
	"rollout/compress":                         "RolloutCompressResponse",
	"remoteControl/status/read":                "RemoteControlStatusReadResponse",
	"accountSession/list":                      "AccountSessionsResponse",
}

// renamed are the definitions whose names the package of the dialect has for something else.
var renamed = map[string]string{"Config": "ConfigTOML"}
