// Package conversation turns the records of a session into the items that consoles show, from the prompt of the user to
// the end of the turn. It is a pure fold: it neither draws nor sends anything. All texts are as the records have them, so
// what shows them must clean them first.
package conversation
