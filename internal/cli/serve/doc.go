// Package serve is the commands that serve a protocol on stdin and stdout, a file or two for each: what is read from
// the command line and the files of the original, and given to the dialect.
package serve
