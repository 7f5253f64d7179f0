package jsonrpc

import "parley.dev/parley/internal/wire"

// Options select how a dialect parses and writes frames.
type Options struct {
	// Version requires "jsonrpc":"2.0" in every frame, and writes it first in those of Parley.
	// Otherwise it is never written, and ignored in frames of the client.
	Version bool

	// AnyID accepts null and any number as an id. Otherwise an id is a string or a whole number.
	AnyID bool

	// NullID accepts null as an id besides those.
	NullID bool

	// NullErrorID answers an object that is no valid frame with the id null, even if it has a
	// valid id.
	NullErrorID bool

	// OneWay means that Parley sends no requests, so that a response is an invalid frame.
	OneWay bool

	// NonBlankMethod makes a frame with a blank method invalid. Otherwise that is an unknown method
	// like others.
	NonBlankMethod bool

	// Object selects how objects are parsed, frames as well as params: repeated names, depth,
	// unknown members of params, null. Unknown members of a frame are always ignored.
	Object wire.ObjectOptions
}
