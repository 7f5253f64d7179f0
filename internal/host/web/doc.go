// Package web is the HTTP server of a host: WebSocket connections in which a client speaks a dialect as on the socket,
// the state of the process, and its metrics. It decides who comes in: the addresses that may be listened on, Host and
// Origin of a request, its token. It knows no protocol.
package web
