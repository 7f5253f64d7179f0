// Package mcpserver offers sessions as tools of a server that speaks the Model Context Protocol, so
// that other agents can give work to this one. It is a front end of engine.Host and nothing more:
// a call of a tool is a prompt, and its result is the last answer of the turn. The client of tool
// servers is package mcp.
package mcpserver
