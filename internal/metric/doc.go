// Package metric writes numbers about a process in the text format of Prometheus, and has the histogram that durations are
// counted in. It has no registry: what serves a page calls what has numbers.
package metric
