// Package mcp is the client of tool servers that speak the Model Context Protocol: it
// starts or calls them, and offers what they have as tools. Servers are shared by all
// sessions of the process. It offers them roots and nothing else: no sampling, no
// elicitation, no prompts and no resources. Whether a call may run is package approval.
package mcp
