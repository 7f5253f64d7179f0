// Package socket serves a protocol of lines over WebSockets, for clients that know nothing of a host: any path, one text
// message a line, without preamble. It decides which clients may connect: the address that is listened on, the origin of a request, its
// token. It knows no protocol.
package socket
