// Package drivers makes back ends from the configuration: which program is started for one, with which environment, and how it
// is confined.
package drivers
