// Package web is the HTTP server of a host: WebSocket connections in which a client speaks a dialect as on the socket,
// the state of the process, its metrics, the sign-in of browsers, and the page of the web console. It decides which clients may connect: the addresses
// that may be listened on, Host and Origin of a request, its token. The other end is here, too: the relay of a client to a
// host of the network. It knows no protocol.
package web
