// Package conform is the command that checks servers and clients of any origin against the protocols that Parley speaks.
package conform
