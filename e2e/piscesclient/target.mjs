// Where a step is played, and against what: parley, or an original whose cli.ts or cli.js
// ORIGINAL names. A place has fresh folders and a model that plays the step's script.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "./model.mjs";

export const original = process.env.ORIGINAL;
export const names = original
	? { provider: "acme", model: "otter-2", other: "eel-1" }
	: { provider: "offline", model: "script", other: "demo" };
/** reasoning is a start with a model that reasons. It is not asked anything. */
export const reasoning = original
	? {}
	: { provider: "openai", model: "gpt-5", env: { OPENAI_API_KEY: "none" } };

const config = {
	retry: { baseDelayMs: 20 },
	compaction: { keepRecentTokens: 2000 },
	tools: { intentTracing: false },
	lsp: { enabled: false },
};

/** place makes the folders; options are those of either RpcClient, with more. */
export async function place(script, more = {}) {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "pisces-client-")));
	const home = join(root, "home");
	const work = join(root, "work");
	mkdirSync(home);
	mkdirSync(work);
	const env = { HOME: home };
	const model = original ? await serve(script) : undefined;
	if (model) {
		const one = (id, name) => ({
			id, name, reasoning: true, input: ["text", "image"],
			cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 }, contextWindow: 128000, maxTokens: 8192,
		});
		const models = {
			providers: {
				acme: { baseUrl: model.url, apiKey: "none", api: "openai-completions", models: [one("otter-2", "Otter 2"), one("eel-1", "Eel 1")] },
			},
		};
		for (const agent of [".omp/agent", ".pi/agent"]) {
			mkdirSync(join(home, agent), { recursive: true });
			// YAML takes JSON.
			writeFileSync(join(home, agent, agent === ".pi/agent" ? "models.json" : "models.yml"), JSON.stringify(models));
			writeFileSync(join(home, agent, agent === ".pi/agent" ? "settings.json" : "config.yml"), JSON.stringify(config));
		}
		Object.assign(env, { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" });
	} else {
		mkdirSync(join(home, ".pisces/agent"), { recursive: true });
		writeFileSync(join(home, ".pisces/agent/config.yml"), JSON.stringify(config));
		writeFileSync(join(root, "model.script"), script);
		Object.assign(env, { PARLEY_HOME: join(home, "state"), PARLEY_MODEL: "offline/script", PARLEY_OFFLINE_SCRIPT: join(root, "model.script") });
	}
	return {
		work,
		options: {
			cliPath: original ?? join(import.meta.dirname, "shim.mjs"),
			cwd: work, provider: names.provider, model: names.model, ...more, env: { ...env, ...more.env },
		},
		close() {
			model?.close();
			rmSync(root, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}
