// Package sessionfile is sessions as files of the family of pi: it reads them, makes records of
// them and them of records, and keeps the file of a session up to date. Which session a client is
// in is not known here.
package sessionfile
