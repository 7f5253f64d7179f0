// Package mock is the model of the measurements: a local HTTP server that plays one scenario
// on every wire, and keeps when requests came and answers went. It knows nothing of agents.
package mock
