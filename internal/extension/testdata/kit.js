// An extension with something of everything that the tests ask for.
import { Type } from "@sinclair/typebox";

export default function (pi) {
  pi.registerFlag("region", { type: "string", default: "eu", description: "where to" });
  pi.registerTool({
    name: "weather",
    label: "Weather",
    description: "tells the weather of a place",
    parameters: Type.Object({ place: Type.String({ description: "a town" }), days: Type.Optional(Type.Integer()) }),
    async execute(id, params, signal, onUpdate, ctx) {
      if (params.place === "nowhere") throw new Error("there is no such place");
      if (params.place === "never") {
        onUpdate({ content: [{ type: "text", text: "waiting" }] });
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        pi.appendEntry("aborted", { id });
        return "too late";
      }
      onUpdate({ content: [{ type: "text", text: "looking" }] });
      onUpdate({ content: [{ type: "text", text: "looking up" }] });
      return { content: [{ type: "text", text: `sun in ${params.place} at ${ctx.cwd} for ${id}` }], details: { degrees: 21 } };
    },
  });
  pi.registerCommand("deploy", {
    description: "deploys",
    async handler(args, ctx) {
      if (args === "fail") throw new Error("no way");
      const region = await ctx.ui.select("Region", [pi.getFlag("region"), "us"]);
      const sure = await ctx.ui.confirm("Deploy", `Really to ${region}?`, { timeout: 30000 });
      const stop = new AbortController();
      const notes = ctx.ui.editor("Notes", "v2", { signal: stop.signal });
      stop.abort();
      ctx.ui.notify(`${region} ${sure} ${await notes} ${ctx.model.id} ${ctx.isIdle()} ${ctx.sessionManager.getLeafId()}`, "info");
    },
  });
  pi.on("session_start", () => pi.appendEntry("begun", { at: 1 }));
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return undefined;
    if (event.input.command === "boom") throw new Error("cannot judge");
    if (event.input.command.startsWith("rm")) {
      const ok = await ctx.ui.confirm("Dangerous", event.input.command);
      if (!ok) return { block: true, reason: "Blocked by user" };
    }
    if (event.input.command === "ls") event.input.command = "ls -l";
  });
  pi.on("tool_result", (event) => ({ content: [...event.content, { type: "text", text: "seen" }] }));
  pi.on("before_agent_start", (event) => ({ systemPrompt: event.systemPrompt + " Be brief.", message: { customType: "hint", content: "x", display: false } }));
  pi.on("session_before_switch", (event) => ({ cancel: event.reason === "resume" }));
  pi.on("turn_end", () => {
    throw new Error("disk full");
  });
}
