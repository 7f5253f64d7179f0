// Package address is where a store on NATS is and how it is reached, as values: a program that passes them on does not link
// what connects.
package address
