package openai

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A strictSchema is the part of JSON Schema that a strict function may use, and that we
// trust (OpenAI, "Structured model outputs", supported schemas). Any other keyword makes
// the schema unfit.
type strictSchema struct {
	Type                 jsontext.Value          `json:"type"`
	Description          string                  `json:"description"`
	Enum                 []jsontext.Value        `json:"enum"`
	Properties           map[string]strictSchema `json:"properties"`
	Required             []string                `json:"required"`
	AdditionalProperties *bool                   `json:"additionalProperties"`
	Items                *strictSchema           `json:"items"`
	AnyOf                []strictSchema          `json:"anyOf"`
}

// strict reports whether the server would take schema for a strict function: every object
// in it is closed and requires all its members. A schema it refused would fail the whole request.
func strict(schema jsontext.Value) bool {
	var s strictSchema
	err := json.Unmarshal(schema, &s, json.RejectUnknownMembers(true))
	return err == nil && s.object() && s.fits()
}

func (s *strictSchema) object() bool { return string(s.Type) == `"object"` }

func (s *strictSchema) fits() bool {
	if s.object() || len(s.Properties) > 0 {
		if s.AdditionalProperties == nil || *s.AdditionalProperties {
			return false
		}
	}
	if s.Enum != nil && len(s.Enum) == 0 {
		return false
	}
	for name, member := range s.Properties {
		if !slices.Contains(s.Required, name) || !member.fits() {
			return false
		}
	}
	for i := range s.AnyOf {
		if !s.AnyOf[i].fits() {
			return false
		}
	}
	return s.Items == nil || s.Items.fits()
}
