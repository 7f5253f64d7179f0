// Package rawjson reads the JSON of other programs as far as it makes sense, and changes parts of
// it, so that the rest stays as it was, numbers and order included. What the parts mean is not
// known here.
package rawjson
