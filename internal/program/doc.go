// Package program finds the programs that Parley starts for itself, such as git and bash. It passes over the folders that tools and
// commands may write: a command that is confined there must not choose a program that runs without confinement.
package program
