package jsonrpc

import "parley.dev/parley/internal/wire"

// Options are a dialect's manners in reading and writing frames.
type Options struct {
	// Version: "jsonrpc":"2.0" is demanded of every frame, and written first in ours.
	// Otherwise it is never written, and whatever stands there is ignored.
	Version bool

	// AnyID: null and any number are ids too. Otherwise an id is a string or a whole number.
	AnyID bool

	// Anonymous: an invalid frame is answered with the id null, even if it had a good one.
	Anonymous bool

	// OneWay: we ask the client nothing, so that a response from it is an invalid frame.
	OneWay bool

	// Named: a method that is blank makes the frame invalid. Otherwise it is a method like
	// any other, though one that no table has.
	Named bool

	// Object is how objects are read, frames and params alike: repeated names, depth,
	// unknown members of params, null. Unknown members of a frame are always ignored.
	Object wire.ObjectOptions
}
