// Package signin signs users in to model providers, and keeps what they get: tokens and
// keys, in the keyring of the system or in a file that only they can read. It opens no
// browser and prints nothing: the caller gets the address that a user has to open.
// Requests to a model are made elsewhere (package provider).
package signin
