// Package mcp is the client of tool servers that speak the Model Context Protocol: it
// starts or calls them, and offers what they have as tools. Servers are shared by all
// sessions of the process. It offers them roots, and elicitation while a call runs: the
// questions of a server are put to the user of the session that called it. Sampling needs the
// user's approval, or the configuration's. Whether a call may
// run is package approval.
package mcp
