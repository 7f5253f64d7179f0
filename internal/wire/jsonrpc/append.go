package jsonrpc

import (
	"strconv"

	"parley.dev/parley/internal/wire"
)

// Each of these methods appends one frame, without LF, to dst and returns the extended slice.
// Params, results and error data are JSON and are copied as they are; nil params are left out, a
// nil result is null.

// AppendNotification appends a frame that has no response.
func (o Options) AppendNotification(dst []byte, method string, params []byte) []byte {
	dst = o.open(dst)
	return appendCall(dst, method, params)
}

// AppendRequest appends a request to the client.
func (o Options) AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = o.open(dst)
	dst = appendID(dst, id)
	dst = append(dst, ',')
	return appendCall(dst, method, params)
}

// AppendResult appends the response to a request that succeeded.
func (o Options) AppendResult(dst []byte, id ID, result []byte) []byte {
	dst = o.open(dst)
	dst = appendID(dst, id)
	dst = append(dst, `,"result":`...)
	if result == nil {
		result = []byte("null")
	}
	dst = append(dst, result...)
	return append(dst, '}')
}

// AppendError appends the response to a request that failed, or to a line that was no request.
func (o Options) AppendError(dst []byte, id ID, e *Error) []byte {
	dst = o.open(dst)
	dst = appendID(dst, id)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = wire.AppendString(dst, e.Message)
	if e.Data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return append(dst, "}}"...)
}

// open appends the beginning of every frame.
func (o Options) open(dst []byte) []byte {
	dst = append(dst, '{')
	if o.Version {
		dst = append(dst, `"jsonrpc":"2.0",`...)
	}
	return dst
}

func appendID(dst []byte, id ID) []byte {
	if id == "" {
		id = Null
	}
	dst = append(dst, `"id":`...)
	return append(dst, id...)
}

// appendCall appends the method and its params, and ends the frame.
func appendCall(dst []byte, method string, params []byte) []byte {
	dst = append(dst, `"method":`...)
	dst = wire.AppendString(dst, method)
	if params != nil {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}
