// Package message is what is said in a session, as the family of pi has it: the types of messages
// and their parts, the fold from records to messages, and what a model sees of messages that are
// neither a user's nor its own. How they are sent to a client, and how they are stored, is not here.
package message
