// Package grantfile stores the grants with the scope Always, for each workspace, in one file of the
// state folder. Package approval decides what a grant covers; the engine decides when one is
// given and used.
package grantfile
