// Package grants keeps the grants that are for always, for each workspace, in one file of
// the state folder. What a grant covers is package approval; when one is asked for, given
// and used is decided elsewhere.
package grants
