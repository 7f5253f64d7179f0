// Package storemetric has the metrics of a store that several hosts share. It observes the store and the member, and
// examines the namespace when a page is requested, at most once in a few seconds. A page never waits long for servers
// that do not answer.
package storemetric
