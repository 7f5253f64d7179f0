package recordtest

// This file contains session files.

// Header is the first line of a file.
const Header = `{"type":"session","version":3,"id":"15d65af22b6106c4","timestamp":"2026-04-05T10:20:30.123Z","cwd":"/home/ana/shop","title":"Cart","parentSession":"/old.jsonl"}` + "\n"

// EveryKind is a file with an entry of each kind, two branches, and an unknown one.
const EveryKind = Header +
	`{"type":"model_change","id":"a0000001","parentId":null,"timestamp":"2026-04-05T10:20:31.000Z","model":"acme/otter-2","role":"default"}
{"type":"model_change","id":"a0000002","parentId":"a0000001","timestamp":"2026-04-05T10:20:31.000Z","model":"acme/eel","role":"smol"}
{"type":"thinking_level_change","id":"a0000003","parentId":"a0000002","timestamp":"2026-04-05T10:20:31.000Z","thinkingLevel":null}
{"type":"service_tier_change","id":"a0000004","parentId":"a0000003","timestamp":"2026-04-05T10:20:31.000Z","serviceTier":null}
{"type":"message","id":"b0000001","parentId":"a0000004","timestamp":"2026-04-05T10:20:32.000Z","message":{"role":"user","content":[{"type":"text","text":"Plan it"},{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}],"attribution":"user","timestamp":1775384432000}}
{"type":"message","id":"b0000002","parentId":"b0000001","timestamp":"2026-04-05T10:20:32.100Z","message":{"role":"fileMention","files":[{"path":"cart.go","content":"package cart\n","lineCount":2,"byteSize":13},{"path":"big","content":"","skippedReason":"tooLarge","byteSize":9999999},{"path":"i.png","content":"","image":{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}}],"timestamp":1775384432100}}
{"type":"message","id":"b0000003","parentId":"b0000002","timestamp":"2026-04-05T10:20:33.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","thinkingSignature":"s"},{"type":"redactedThinking","data":"zzz"},{"type":"text","text":"Two reads."},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"toolCall","id":"c2","name":"bash","arguments":{"command":"ls"}}],"api":"anthropic-messages","provider":"acme","model":"otter-2","usage":{"input":10,"output":5,"cacheRead":1,"cacheWrite":0,"totalTokens":16,"premiumRequests":0.33,"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":0,"total":0.3}},"stopReason":"toolUse","timestamp":1775384432900,"duration":100}}
{"type":"message","id":"b0000004","parentId":"b0000003","timestamp":"2026-04-05T10:20:33.200Z","message":{"role":"toolResult","toolCallId":"c2","toolName":"bash","content":[{"type":"text","text":"cart.go\n"}],"isError":true,"timestamp":1775384433200}}
{"type":"message","id":"b0000005","parentId":"b0000004","timestamp":"2026-04-05T10:20:33.300Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"see"},{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}],"details":{"x":1.0},"isError":false,"timestamp":1775384433300}}
{"type":"message","id":"b0000006","parentId":"b0000005","timestamp":"2026-04-05T10:20:34.000Z","message":{"role":"user","content":"In between","timestamp":1775384434000}}
{"type":"message","id":"b0000007","parentId":"b0000006","timestamp":"2026-04-05T10:20:35.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Half a"},{"type":"toolCall","id":"c1","name":"read","arguments":{}}],"api":"openai-completions","provider":"acme","model":"eel","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"aborted","errorMessage":"Request was aborted","timestamp":1775384435000}}
{"type":"message","id":"b0000008","parentId":"b0000007","timestamp":"2026-04-05T10:20:35.100Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"Tool execution was aborted: Request was aborted"}],"details":{},"isError":true,"timestamp":1775384435100}}
{"type":"label","id":"b0000009","parentId":"b0000008","timestamp":"2026-04-05T10:20:36.000Z","targetId":"b0000003","label":"good"}
{"type":"label","id":"b000000a","parentId":"b0000009","timestamp":"2026-04-05T10:20:36.000Z","targetId":"nowhere"}
{"type":"message","id":"b000000b","parentId":"b000000a","timestamp":"2026-04-05T10:20:37.000Z","message":{"role":"bashExecution","command":"ls","output":"x\n","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1775384437000}}
{"type":"message","id":"b000000c","parentId":"b000000b","timestamp":"2026-04-05T10:20:37.000Z","message":{"role":"pythonExecution","code":"1+1","output":"2","exitCode":1,"cancelled":false,"truncated":false,"timestamp":1775384437000}}
{"type":"custom","id":"b000000d","parentId":"b000000c","timestamp":"2026-04-05T10:20:38.000Z","customType":"state","data":{"n":1}}
{"type":"custom_message","id":"b000000e","parentId":"b000000d","timestamp":"2026-04-05T10:20:38.000Z","customType":"hint","content":"Mind the gap","display":true,"details":{"a":1},"attribution":"agent"}
{"type":"message","id":"b000000f","parentId":"b000000e","timestamp":"2026-04-05T10:20:38.500Z","message":{"role":"developer","content":[{"type":"text","text":"Continue."}],"attribution":"agent","timestamp":1775384438500}}
{"type":"compaction","id":"b0000010","parentId":"b000000f","timestamp":"2026-04-05T10:20:39.000Z","summary":"It went well.","shortSummary":"well","firstKeptEntryId":"b0000009","tokensBefore":50110,"details":{"readFiles":[],"modifiedFiles":[]},"preserveData":{}}
{"type":"message","id":"d0000001","parentId":"a0000004","timestamp":"2026-04-05T10:21:00.000Z","message":{"role":"user","content":[{"type":"text","text":"Another way"}],"timestamp":1775384460000}}
{"type":"thinking_level_change","id":"d0000002","parentId":"d0000001","timestamp":"2026-04-05T10:21:00.000Z","thinkingLevel":"high"}
{"type":"branch_summary","id":"b0000011","parentId":"b0000010","timestamp":"2026-04-05T10:22:00.000Z","fromId":"d0000002","summary":"Went astray."}
{"type":"ttsr_injection","id":"b0000012","parentId":"b0000011","timestamp":"2026-04-05T10:22:00.000Z","injectedRules":["r"]}
{"type":"mode_change","id":"b0000013","parentId":"b0000012","timestamp":"2026-04-05T10:22:00.000Z","mode":"plan","data":null}
{"type":"session_info","id":"b0000014","parentId":"b0000013","timestamp":"2026-04-05T10:22:00.000Z","name":"Cart"}
{"type":"from_the_future","id":"b0000015","parentId":"b0000014","timestamp":"2026-04-05T10:22:00.000Z","n":12345678901234567890}
{"type":"message","id":"b0000016","parentId":"b0000015","timestamp":"2026-04-05T10:22:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Write it"}],"timestamp":1775384521000}}
{"type":"message","id":"b0000017","parentId":"b0000016","timestamp":"2026-04-05T10:22:02.000Z","message":{"role":"assistant","content":[],"api":"x","provider":"acme","model":"otter-2","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"error","errorMessage":"503 overloaded","timestamp":1775384522000}}
`
