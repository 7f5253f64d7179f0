package dialogue

// All are the dialects of the program.
var All = []Dialect{
	{
		Name: "scaiflux", Args: []string{"scaiflux", "serve"},
		First:  Marks{`"type":"ready"`},
		Prompt: `{"type":"prompt","text":$TEXT}`,
		Delta:  Marks{`"type":"text_delta"`}, Text: `"delta":"`,
		Ended: Marks{`"type":"turn_complete"`}, Completed: Marks{`"stop_reason":"end_turn"`},
		Asks: Marks{`"type":"permission_request"`}, Asking: `"request_id":"`,
		Allow: `{"type":"permission_response","request_id":"$ASK","decision":"allow"}`,
	},
	{
		Name: "flint", Args: []string{"flint"}, Free: []string{"--approval-policy", "never", "--sandbox", "dangerFullAccess"},
		Hello:  []string{`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"small-client","version":"1"}}}`, `{"method":"initialized"}`},
		Open:   `{"id":$N,"method":"thread/start","params":{"cwd":"$DIR"}}`,
		Opened: `"result":{"thread":{"id":"`,
		Prompt: `{"id":$N,"method":"turn/start","params":{"threadId":"$SESSION","input":[{"type":"text","text":$TEXT}]}}`,
		Delta:  Marks{`"method":"item/agentMessage/delta"`}, Text: `"delta":"`,
		Ended: Marks{`"method":"turn/completed"`}, EndedIn: `"threadId":"`, Completed: Marks{`"status":"completed"`},
		Failed: Marks{`"error":{"code":`},
		Asks:   Marks{`requestApproval"`, `"id":`}, Asking: `"id":`, Allow: `{"id":$ASK,"result":{"decision":"accept"}}`,
		Compacted: Marks{`"method":"item/completed"`, `"type":"contextCompaction"`},
	},
	{
		Name: "loaf", Args: []string{"loaf", "rpc"},
		Hello:  []string{`{"jsonrpc":"2.0","id":0,"method":"rpc.handshake","params":{"client_name":"small-client","client_version":"1","protocol_version":"1.0.0"}}`},
		Open:   `{"jsonrpc":"2.0","id":$N,"method":"session.create","params":{}}`,
		Opened: `"result":{"session_id":"`,
		Prompt: `{"jsonrpc":"2.0","id":$N,"method":"session.send","params":{"session_id":"$SESSION","text":$TEXT}}`,
		Delta:  Marks{`"method":"session.stream.chunk"`}, Text: `"answerText":"`,
		Ended: Marks{`"method":"session.status"`, `"pending":false`}, EndedIn: `"session_id":"`,
		Failed: Marks{`"method":"session.error"`},
		Clear:  `{"jsonrpc":"2.0","id":$N,"method":"command.execute","params":{"session_id":"$SESSION","raw_command":"/clear"}}`,
	},
	{
		Name: "agentair", Args: []string{"agentair"}, Free: []string{"--policy", "auto-approve"},
		Main:   "1",
		Open:   `{"CreateSession":{}}`,
		Opened: `{"System":{"message":"Session `,
		Prompt: `{"session_id":$SESSION,"content":$TEXT,"turn_id":{"role":"User","sequence":$N}}`,
		Delta:  Marks{`{"TextChunk":`}, Text: `"text":"`,
		Ended: Marks{`{"Complete":`}, Failed: Marks{`{"Error":`},
		Asks: Marks{`{"PermissionRequired":`}, Asking: `"tool_use_id":"`, Allow: `{"PermissionResponse":{"tool_use_id":"$ASK","response":{"granted":true}}}`,
	},
	{
		Name: "pisces", Args: []string{"pisces", "--mode", "rpc"},
		Prompt: `{"id":"$N","type":"prompt","message":$TEXT}`,
		Delta:  Marks{`"type":"text_delta"`}, Text: `"delta":"`,
		Ended: Marks{`"type":"prompt_result"`}, Completed: Marks{`"status":"completed"`},
	},
}
