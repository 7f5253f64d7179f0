// Package signin signs users in to model providers, and keeps what they get: tokens and
// keys, in the keyring of the system or in a file that only they can read. It opens no
// browser and prints nothing: the caller gets the address that a user has to open.
// Asking a model with a token is somebody else's job.
package signin
