package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// A generator writes definitions as Go types.
type generator struct {
	doc      *document
	chapter  map[string]string // of the definitions that are written, by name
	order    []string          // of them
	inbound  map[string]bool   // those which clients send
	outbound map[string]bool   // those which clients are sent
	values   map[string]bool   // of tags that have a type
	extra    []string          // types of objects without a name, of the definition at hand
	in, out  bool              // clients send, are sent the definition at hand
	empty    map[string]bool   // optional members whose zero value is written, as TYPE.member
	nullable map[string]bool   // enums that are null in some member
}

// visit adds a definition, and what it refers to, to a chapter.
func (g *generator) visit(s *schema, chapter string, inbound bool) {
	if s == nil {
		return
	}
	if s.Ref != "" {
		name, def := g.doc.def(s.Ref)
		_, known := g.chapter[name]
		if known && (inbound && g.inbound[name] || !inbound && g.outbound[name]) {
			return
		}
		g.inbound[name] = g.inbound[name] || inbound
		g.outbound[name] = g.outbound[name] || !inbound
		if own, ok := subjects[name]; ok {
			chapter = own
		}
		if !known {
			g.chapter[name] = chapter
			g.order = append(g.order, name)
		}
		g.visit(def, chapter, inbound)
		return
	}
	for _, name := range s.names() {
		member := s.Properties[name]
		if enum := g.enumName(member); enum != "" && !inbound && slices.Contains(s.Null, name) {
			g.nullable[enum] = true
		}
		g.visit(member, chapter, inbound)
	}
	for _, part := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		g.visit(part, chapter, inbound)
	}
	g.visit(s.Items, chapter, inbound)
	g.visit(s.Additional, chapter, inbound)
}

// typeOf returns the Go type of a value; at is the name of a type for an object that has none. null is that it may be null.
func (g *generator) typeOf(s *schema, at string) (goType string, null bool) {
	s, null = s.nullable()
	switch {
	case s.Ref != "":
		name, def := g.doc.def(s.Ref)
		if k := kindOf(def); k == kindRaw || k == kindPlain {
			goType, inner := g.typeOf(def, at)
			return goType, null || inner
		}
		return name, null
	case len(s.AllOf) == 1:
		goType, inner := g.typeOf(s.AllOf[0], at)
		return goType, null || inner
	}
	switch kindOf(s) {
	case kindStruct, kindTagged, kindWord:
		if len(s.Properties) == 0 && len(s.OneOf) == 0 && len(s.AnyOf) == 0 {
			return "jsontext.Value", null
		}
		g.extra = append(g.extra, g.typeDecl(at, s, g.in))
		return at, null
	case kindEnum:
		return "string", null
	case kindPlain:
		switch {
		case s.Items != nil:
			element, _ := g.typeOf(s.Items, at+"Element")
			return "[]" + element, null
		case s.Additional != nil:
			element, _ := g.typeOf(s.Additional, at+"Value")
			return "map[string]" + element, null
		case s.is("string"):
			return "string", null
		case s.is("integer"):
			return "int64", null
		case s.is("number"):
			return "float64", null
		case s.is("boolean"):
			return "bool", null
		}
	}
	return "jsontext.Value", null
}

// enumName returns the name of the string type that a schema refers to; "": it is something else.
func (g *generator) enumName(s *schema) string {
	s, _ = s.nullable()
	if len(s.AllOf) == 1 {
		return g.enumName(s.AllOf[0])
	}
	if s.Ref == "" {
		return ""
	}
	name, def := g.doc.def(s.Ref)
	if kindOf(def) != kindEnum {
		return ""
	}
	return name
}

// enumOf returns the words of a string, also inside a list.
func (g *generator) enumOf(s *schema) []string {
	s, _ = s.nullable()
	switch {
	case s.Ref != "":
		_, def := g.doc.def(s.Ref)
		return g.enumOf(def)
	case len(s.AllOf) == 1:
		return g.enumOf(s.AllOf[0])
	case s.Items != nil:
		return g.enumOf(s.Items)
	}
	if kindOf(s) == kindEnum {
		return s.words()
	}
	return nil
}

// decl returns the declarations of a definition.
func (g *generator) decl(name string) string {
	def := g.doc.Defs[name]
	g.extra, g.in, g.out = nil, g.inbound[name], g.outbound[name]
	text := g.typeDecl(name, def, g.inbound[name])
	return text + strings.Join(g.extra, "")
}

func (g *generator) typeDecl(name string, s *schema, inbound bool) string {
	switch kindOf(s) {
	case kindEnum:
		return enumDecl(name, s.words(), g.nullable[name])
	case kindTagged:
		return g.taggedDecl(name, s, inbound)
	case kindWord:
		return g.wordDecl(name, s, inbound)
	case kindStruct:
		return fmt.Sprintf("// %s is an object of the schema.\ntype %s struct {\n%s}\n\n", name, name, g.fields(name, s, "", inbound))
	}
	return ""
}

// enumDecl returns a string type with constants; nullable: its zero value is null.
func enumDecl(name string, words []string, nullable bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s is a word of the schema.\ntype %s string\n\n// The values of %s.\nconst (\n", name, name, name)
	for _, word := range words {
		fmt.Fprintf(&b, "%s%s %s = %q\n", name, goName(word), name, word)
	}
	b.WriteString(")\n\n")
	if nullable {
		fmt.Fprintf(&b, "// MarshalJSONTo writes the word; null if it is empty.\nfunc (w %s) MarshalJSONTo(e *jsontext.Encoder) error { return nullString(w).MarshalJSONTo(e) }\n\n", name)
	}
	return b.String()
}

// fields returns the fields of an object; tag is the member whose value identifies the variant of a union.
func (g *generator) fields(name string, s *schema, tag string, inbound bool) string {
	var b strings.Builder
	s = s.flat()
	for _, member := range s.names() {
		p := s.Properties[member]
		if member == tag {
			value := p.Enum[0]
			g.values[value] = true
			fmt.Fprintf(&b, "%s tag%s `json:%q`\n", goName(member), uniqueName(value), member)
			continue
		}
		goType, null := g.typeOf(p, name+goName(member))
		required := slices.Contains(s.Required, member)
		isNull := g.out && slices.Contains(s.Null, member)
		options, tags := "", ""
		switch {
		case g.empty[name+"."+member]:
			goType = "*" + goType
		case isNull:
			goType = g.nullType(goType)
		case !required && inbound && !g.out && goType == "bool" && string(p.Default) != "true": // absent is false
		case required && null && !free(goType), !required && scalar(goType):
			goType = "*" + goType
		case !required && !free(goType) && goType != "string" && !g.enum(goType) && !g.isInterface(goType):
			goType = "*" + goType
		}
		switch {
		case isNull && !required:
			tags = ` optional:"true"`
		case !isNull && !required:
			options = ",omitzero"
		}
		if words := g.enumOf(p); inbound && len(words) > 0 {
			tags += fmt.Sprintf(" enum:%q", strings.Join(words, ","))
		}
		fmt.Fprintf(&b, "%s %s `json:%q%s`\n", goName(member), goType, member+options, tags)
	}
	return b.String()
}

// nullType returns the type of a member whose zero value is written as null.
func (g *generator) nullType(goType string) string {
	element, isList := strings.CutPrefix(goType, "[]")
	value, isMap := strings.CutPrefix(goType, "map[string]")
	switch {
	case goType == "string":
		return "nullString"
	case isList:
		return "nullList[" + element + "]"
	case isMap:
		return "nullMap[" + value + "]"
	case goType == "jsontext.Value", g.enum(goType), g.isInterface(goType):
		return goType
	}
	return "*" + goType
}

// flat returns an object with the members of its variants, of which any may be absent.
func (s *schema) flat() *schema {
	if len(s.AnyOf) == 0 {
		return s
	}
	whole := *s
	whole.Properties = maps.Clone(s.Properties)
	for _, part := range s.AnyOf {
		maps.Copy(whole.Properties, part.Properties)
	}
	return &whole
}

// isInterface reports whether a type is a union of objects that clients do not send.
func (g *generator) isInterface(goType string) bool {
	def, ok := g.doc.Defs[goType]
	return ok && kindOf(def) == kindTagged && !g.inbound[goType]
}

// free reports whether the zero value of a type is null, or stands for an absent member.
func free(goType string) bool {
	return strings.HasPrefix(goType, "[]") || strings.HasPrefix(goType, "map[") || goType == "jsontext.Value"
}

func scalar(goType string) bool { return goType == "int64" || goType == "bool" || goType == "float64" }

// enum reports whether a type is a string with constants.
func (g *generator) enum(goType string) bool {
	def, ok := g.doc.Defs[goType]
	return ok && kindOf(def) == kindEnum
}

// initialisms are written in capitals in Go names.
var initialisms = map[string]string{
	"Id": "ID", "Ids": "IDs", "Url": "URL", "Uri": "URI", "Api": "API", "Ms": "MS", "Mcp": "MCP", "Ui": "UI", "Cli": "CLI", "Http": "HTTP", "Json": "JSON", "Os": "OS", "Sha": "SHA",
}

// goName returns a name of the wire as an exported one.
func goName(name string) string {
	var b strings.Builder
	for _, part := range parts(name) {
		part = strings.ToUpper(part[:1]) + part[1:]
		if whole, ok := initialisms[part]; ok {
			part = whole
		}
		b.WriteString(part)
	}
	return b.String()
}

// parts splits a name at capitals and at what is no letter or digit.
func parts(name string) []string {
	var all []string
	current := ""
	flush := func() {
		if current != "" {
			all = append(all, current)
		}
		current = ""
	}
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && current != "" && !unicode.IsUpper(rune(current[len(current)-1])):
			flush()
		}
		current += string(r)
	}
	flush()
	return all
}

// written are the optional members for which an empty value differs from an absent one.
var written = map[string]bool{
	"CommandExecutionThreadItem.aggregatedOutput": true,
}
