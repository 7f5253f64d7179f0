// Package transfer copies sessions from one store to another. A copy has the same lines with the same hashes, and
// the blobs that they name. An interrupted copy is a beginning of the session, which the next one continues.
package transfer
