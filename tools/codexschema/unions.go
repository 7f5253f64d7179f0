package main

import (
	"fmt"
	"slices"
	"strings"
)

// taggedDecl returns a union of objects: an interface, or what holds one where clients send it.
func (g *generator) taggedDecl(name string, s *schema, inbound bool) string {
	var b, variants strings.Builder
	tag := s.tagMember()
	method := "is" + name
	if inbound {
		fmt.Fprintf(&b, "// %s holds one of the objects of a union; the member %s determines which.\ntype %s struct{ Value %s }\n\n", name, tag, name, "any"+name)
		fmt.Fprintf(&b, "type any%s interface{ %s() }\n\n", name, method)
		fmt.Fprintf(&b, "// MarshalJSONTo writes the object.\nfunc (u %s) MarshalJSONTo(e *jsontext.Encoder) error { return json.MarshalEncode(e, u.Value) }\n\n", name)
		fmt.Fprintf(&b, "// DecodeWire reads the object that %s names.\nfunc (u *%s) DecodeWire(value jsontext.Value, o wire.ObjectOptions) error {\n", tag, name)
		fmt.Fprintf(&b, "word, err := tagOf(value, %q, o)\nif err != nil {\nreturn err\n}\nswitch word {\n", tag)
	} else {
		fmt.Fprintf(&b, "// %s is one of the objects of a union; the member %s determines which.\ntype %s interface{ %s() }\n\n", name, tag, name, method)
	}
	var words []string
	titles := map[string]int{}
	for _, v := range s.OneOf {
		titles[v.Title]++
	}
	for _, v := range s.OneOf {
		word := v.Properties[tag].Enum[0]
		words = append(words, word)
		own := uniqueName(word) + name
		if v.Title != "" && titles[v.Title] == 1 {
			own = goTypeName(v.Title)
		}
		if inbound {
			fmt.Fprintf(&b, "case %q:\nv := %s{}\nerr = wire.DecodeValue(value, &v, o)\nu.Value = v\n", word, own)
		}
		fmt.Fprintf(&variants, "// %s is %s %q of %s.\ntype %s struct {\n%s}\n\nfunc (%s) %s() {}\n\n", own, tag, word, name, own, g.fields(own, v, tag, inbound), own, method)
	}
	if inbound {
		fmt.Fprintf(&b, "default:\nreturn unknownTag(%q, word, %s)\n}\nreturn err\n}\n\n", tag, quoted(words))
	}
	return b.String() + variants.String()
}

// goTypeName returns a title as the name of a type.
func goTypeName(title string) string {
	return goName(strings.ReplaceAll(title, "::", " "))
}

// wordDecl returns a union of words and of objects with one member.
func (g *generator) wordDecl(name string, s *schema, inbound bool) string {
	var words, fields, write, read []string
	for _, v := range slices.Concat(s.OneOf, s.AnyOf) {
		words = append(words, v.Enum...)
		for _, member := range v.names() {
			goType, _ := g.typeOf(v.Properties[member], name+goName(member))
			field := goName(member)
			if !free(goType) {
				goType = "*" + goType
			}
			fields = append(fields, field+" "+goType)
			write = append(write, fmt.Sprintf("case u.%s != nil:\nreturn writeMember(e, %q, u.%s)\n", field, member, field))
			read = append(read, fmt.Sprintf("if member, ok := obj.Get(%q); ok {\nreturn decodeMember(%q, member, &u.%s, o)\n}\n", member, member, field))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// %s is a word, or an object with one member.\ntype %s struct {\nWord string // %s\n%s\n}\n\n", name, name, strings.Join(words, ", "), strings.Join(fields, "\n"))
	fmt.Fprintf(&b, "// MarshalJSONTo writes the word or the object.\nfunc (u %s) MarshalJSONTo(e *jsontext.Encoder) error {\nswitch {\n%s}\nreturn e.WriteToken(jsontext.String(u.Word))\n}\n\n", name, strings.Join(write, ""))
	if inbound {
		fmt.Fprintf(&b, "// DecodeWire reads the word or the object.\nfunc (u *%s) DecodeWire(value jsontext.Value, o wire.ObjectOptions) error {\n*u = %s{}\nif value.Kind() == jsontext.KindString {\nreturn decodeWord(value, &u.Word, o, %s)\n}\n", name, name, quoted(words))
		fmt.Fprintf(&b, "obj, err := wire.OpenObject(value, o)\nif err != nil {\nreturn unknownWord(\"\", %s)\n}\n%sreturn unknownWord(\"\", %s)\n}\n\n", quoted(words), strings.Join(read, ""), quoted(words))
	}
	return b.String()
}

// quoted returns words as Go strings.
func quoted(words []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = fmt.Sprintf("%q", word)
	}
	return strings.Join(all, ", ")
}

// tagDecls returns the types whose only value is the word of a tag.
func (g *generator) tagDecls() string {
	var types, methods strings.Builder
	for _, value := range sortedKeys(g.values) {
		name := "tag" + uniqueName(value)
		fmt.Fprintf(&types, "%s struct{ tag }\n", name)
		fmt.Fprintf(&methods, "func (%s) MarshalJSONTo(e *jsontext.Encoder) error { return writeTag(e, %q) }\n", name, value)
	}
	return "// The words that distinguish the objects of a union.\ntype (\n" + types.String() + ")\n\n" + methods.String()
}

// uniqueName is goName for words that may differ in their separators only.
func uniqueName(word string) string {
	name := goName(word)
	for separator, suffix := range separators {
		if strings.Contains(word, separator) {
			name += suffix
		}
	}
	return name
}

var separators = map[string]string{"_": "Snake", "-": "Kebab", "/": "Path"}
