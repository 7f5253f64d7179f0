// Package dialect is what the protocols share: the [Input] and the [Pump], how a connection
// ends, the form of a toolset ([ShownTool]), and the folder schema, which makes JSON Schema of Go
// types; dialecttest has what their tests share. Each protocol is a folder below it,
// and all of those look alike:
//
//	doc.go       what the protocol is and where it is documented
//	protocol.go  the wire as Go types and nothing else
//	decode.go    a line -> a typed message, or one error and nothing changed
//	serve.go     a connection: messages in, engine verbs out
//	render.go    a pure fold: engine records -> wire messages
//	errors.go    engine errors -> wire codes, one total function
//	options.go   the protocol's options as one engine.Options literal
//	toolset.go   our tools under the protocol's names and inputs
//	schema.go    protocol.go as JSON Schema: what Go types do not contain; its types are
//	             listed in schema_types.go
//	testdata/    transcripts: specification, test and example in one
//
// To add one: transcribe the document into protocol.go, write the transcripts, then the
// rest in that order. What the engine cannot do yet becomes an option of the engine, named
// for what it does; no dialect is ever named outside its own folder and package main.
package dialect
