// Package token stores the tokens with which clients of the network prove what they may do: the file of their hashes, the
// comparison, and the end of a token that is revoked or expired. It knows neither connections nor what roles allow.
package token
