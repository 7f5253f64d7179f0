// A model that plays an offline script (docs/offline-scripts.md) over Chat Completions, for
// originals, which have no offline model. It knows the lines that drive.ts uses: text,
// think, repeat N text, call, usage, fail, hang, next.
import { createServer } from "node:http";

/** answers divides a script into what each model call gets: lists of [word, rest]. */
export function answers(script) {
	const all = [[]];
	let calls = false;
	for (const line of script.split("\n").map(l => l.trimStart())) {
		if (!line || line.startsWith("#")) continue;
		const space = line.indexOf(" ");
		const [word, rest] = space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
		if (word === "next" || (calls && word !== "call" && word !== "usage")) {
			all.push([]);
			calls = false;
		}
		if (word === "next") continue;
		calls ||= word === "call";
		all.at(-1).push([word, rest]);
		if (word === "fail" || word === "hang") all.push([]);
	}
	return all.filter(answer => answer.length > 0);
}

const text = s => (s.startsWith('"') ? JSON.parse(s) : s);

/** serve listens on the loopback and answers the n-th request with the n-th answer. */
export async function serve(script) {
	const list = answers(script);
	let calls = 0;
	const requests = [];
	const server = createServer(async (request, response) => {
		let body = "";
		for await (const chunk of request) body += chunk;
		requests.push(JSON.parse(body));
		const answer = list.shift() ?? [["text", "(the script is at its end)"]];
		const failure = answer.find(([word]) => word === "fail");
		if (failure) {
			const status = Number(/status=(\d+)/.exec(failure[1])?.[1] ?? 503);
			// Their SDK would try again by itself, and nothing of it be seen.
			response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
			response.end(JSON.stringify({ error: { message: failure[1], type: "server_error" } }));
			return;
		}
		response.writeHead(200, { "content-type": "text/event-stream" });
		const send = (delta, rest = {}) => {
			const choices = [{ index: 0, delta, finish_reason: rest.stop ?? null }];
			response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 0, model: "m", choices, ...rest.more })}\n\n`);
		};
		send({ role: "assistant", content: "" });
		let stop = "stop";
		let index = 0;
		let usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
		for (const [word, rest] of answer) {
			if (word === "text") send({ content: text(rest) });
			if (word === "think") send({ reasoning_content: text(rest) });
			if (word === "repeat") {
				const [, n, piece] = /^(\d+) text (.*)$/.exec(rest);
				send({ content: text(piece).repeat(Number(n)) });
			}
			if (word === "call") {
				const [name, ...input] = rest.split(" ");
				send({ tool_calls: [{ index, id: `call_${++calls}`, type: "function", function: { name, arguments: "" } }] });
				send({ tool_calls: [{ index: index++, function: { arguments: input.join(" ") || "{}" } }] });
				stop = "tool_calls";
			}
			if (word === "usage") {
				const at = name => Number(new RegExp(`\\b${name}=(\\d+)`).exec(rest)?.[1] ?? 0);
				usage = { prompt_tokens: at("in"), completion_tokens: at("out"), total_tokens: at("in") + at("out") };
			}
			if (word === "hang") return;
		}
		send({}, { stop, more: { usage } });
		response.end("data: [DONE]\n\n");
	});
	await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${server.address().port}/v1`,
		requests,
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
