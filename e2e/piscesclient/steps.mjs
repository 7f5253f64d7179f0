// What drivers have in common: steps that are played one after the other, each with a
// server of its own, and looks at what it tells.
import assert from "node:assert/strict";
import { place } from "./target.mjs";

/** play runs one step, prints a line about it, and is true when it went well. */
async function play(RpcClient, step, patience) {
	const begun = performance.now();
	const here = await place(step.script ?? "", step.options);
	const client = new RpcClient(here.options);
	let timer;
	try {
		await client.start();
		const late = new Promise((_, reject) => {
			timer = setTimeout(() => reject(new Error(`not done after ${patience} ms`)), patience);
		});
		await Promise.race([step.run(client, here), late]);
		console.log(`ok      ${step.name} (${Math.round(performance.now() - begun)} ms)`);
		return true;
	} catch (error) {
		console.log(`FAILED  ${step.name}: ${error.stack}\n${client.getStderr()}`);
		return false;
	} finally {
		clearTimeout(timer);
		await client.stop();
		here.close();
	}
}

/** playAll runs the steps, or those that the arguments name, and ends the process. */
export async function playAll(RpcClient, steps, patience = 20000) {
	const chosen = steps.filter(step => process.argv.length < 3 || process.argv.slice(2).includes(step.name));
	let failed = 0;
	for (const step of chosen) failed += (await play(RpcClient, step, patience)) ? 0 : 1;
	console.log(`${chosen.length - failed} of ${chosen.length} steps`);
	process.exit(failed > 0 || chosen.length === 0 ? 1 : 0);
}

/** until is the first event from now on that is wanted. */
export function until(client, wanted) {
	return new Promise(resolve => {
		const stop = client.onEvent(event => {
			if (!wanted(event)) return;
			stop();
			resolve(event);
		});
	});
}

/** says is an event in which the answer or a running tool has told some text. */
export const says = text => event =>
	(event.type === "message_update" && textOf(event.message).includes(text)) ||
	(event.type === "tool_execution_update" && textOf(event.partialResult).includes(text));

/** textOf is the text blocks of a message or result, joined. */
export const textOf = message =>
	typeof message.content === "string" ? message.content : message.content.filter(c => c.type === "text").map(c => c.text).join("");

/** outline is events in short, updates of one block as one. */
export function outline(events) {
	const all = [];
	for (const event of events) {
		let line = event.type;
		if (event.type.startsWith("message_")) line += ` ${event.message.role}`;
		if (event.type === "message_update") line += ` ${event.assistantMessageEvent.type.split("_")[0]}`;
		if (event.type.startsWith("tool_execution_")) line += ` ${event.toolName}`;
		if (event.type.endsWith("_update") && all.at(-1) === line) continue;
		all.push(line);
	}
	return all;
}

/** withoutTools is an outline without the updates of tools, of which there may be any number. */
export const withoutTools = lines => lines.filter(line => !line.startsWith("tool_execution_update"));

/** said is the outline of an answer of one text. */
export const said = ["message_start assistant", "message_update assistant text", "message_end assistant"];
/** asked is the outline of an answer that calls n tools. */
export const asked = n => ["message_start assistant", ...(n ? ["message_update assistant toolcall"] : []), "message_end assistant"];
/** pair is the outline of a message that does not grow. */
export const pair = role => [`message_start ${role}`, `message_end ${role}`];
/** ran is the outline of a call that was run. */
export const ran = tool => [`tool_execution_start ${tool}`, `tool_execution_end ${tool}`, ...pair("toolResult")];

/** grew holds that deltas make up the message that they end in, and that partial is the message. */
export function grew(events) {
	let text = "";
	for (const event of events) {
		if (event.type === "message_start") text = "";
		if (event.type === "message_update") {
			const e = event.assistantMessageEvent;
			assert.deepEqual(e.partial.content, event.message.content, "partial and message");
			if (e.type === "text_delta") text += e.delta;
			if (e.type === "text_end") assert.equal(e.content, textOf(event.message).slice(-e.content.length));
		}
		if (event.type === "message_end" && event.message.role === "assistant") assert.equal(textOf(event.message), text);
	}
}

/** brief is messages as "role: text". */
export const brief = messages => messages.map(m => `${m.role}: ${m.role === "bashExecution" ? m.command : textOf(m)}`);

/** paused is a command that tells that it runs and goes on when there is a file go. */
export const paused = `{"command":"echo started; until [ -e go ]; do sleep 0.05; done; echo done"}`;
/** endless is a command that tells that it runs and does not end in time. */
export const endless = `{"command":"echo started; sleep 100"}`;
