package acptest

import (
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// chooseByTag makes each union of a schema choose its branch by the member that names it, as readers do. What the schema allows
// remains the same. An error then says what is wrong with the branch that was meant, not that no branch fits.
func chooseByTag(root *jsonschema.Schema) {
	eachSchema(root, func(s *jsonschema.Schema) {
		for _, union := range []*[]*jsonschema.Schema{&s.OneOf, &s.AnyOf} {
			if values := constants(*union); len(values) > 1 {
				s.Enum, *union = values, nil
			} else if tag := tagOf(*union); tag != "" {
				s.AllOf, *union = append(slices.Clip(s.AllOf), chosen(*union, tag)...), nil
			}
		}
	})
}

// constants returns the values of a union of values and nothing else.
func constants(union []*jsonschema.Schema) (values []any) {
	for _, s := range union {
		if s.Const == nil {
			return nil
		}
		values = append(values, *s.Const)
	}
	return values
}

// tagOf returns the member by which branches of a union differ; "" if there is none.
func tagOf(union []*jsonschema.Schema) string {
	for _, s := range union {
		for name, member := range s.Properties {
			if member.Const != nil && slices.Contains(s.Required, name) {
				return name
			}
		}
	}
	return ""
}

// chosen returns a union as conditions: a branch applies if the tag has its value, those without a value if no other does.
func chosen(union []*jsonschema.Schema, tag string) (conditions []*jsonschema.Schema) {
	var values []any
	var rest []*jsonschema.Schema
	for _, branch := range union {
		member := branch.Properties[tag]
		if member == nil || member.Const == nil {
			rest = append(rest, branch)
			continue
		}
		values = append(values, *member.Const)
		conditions = append(conditions, &jsonschema.Schema{If: tagged(tag, *member.Const), Then: branch})
	}
	if len(rest) > 0 {
		known := tagged(tag, values...)
		return append(conditions, &jsonschema.Schema{If: &jsonschema.Schema{Not: known}, Then: &jsonschema.Schema{AnyOf: rest}})
	}
	return append(conditions, tagged(tag, values...))
}

// tagged is an object whose tag has one of some values.
func tagged(tag string, values ...any) *jsonschema.Schema {
	return &jsonschema.Schema{
		Types: []string{"object"}, Properties: map[string]*jsonschema.Schema{tag: {Enum: values}}, Required: []string{tag},
	}
}

// brief removes from an error of a schema how the validation came to the place at fault.
func brief(err error) string {
	text := err.Error()
	first, _, _ := strings.Cut(text, "\n")
	if i := strings.LastIndex(first, "validating "); i > 0 {
		text = text[i+len("validating "):]
	}
	place, _, found := strings.Cut(text, "/unevaluatedProperties: ")
	if found {
		return place + " has a member that the schema does not define"
	}
	return text
}
