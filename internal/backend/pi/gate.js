// Parley loads this extension into pi. It holds each call of a tool until Parley has decided, and runs it as it was decided:
// extensions after this one cannot change the input any more.
const freeze = (value) => {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
};

export default function (pi) {
  pi.on("session_start", async (_event, ctx) => {
    const version = await import("@mariozechner/pi-coding-agent").then((m) => m.VERSION, () => undefined);
    ctx.ui.setStatus("parley:gate", JSON.stringify({ version }));
  });
  pi.on("before_agent_start", () => {
    pi.appendEntry("parley:prompt", {});
  });
  pi.on("tool_call", async (event, ctx) => {
    const request = JSON.stringify({ id: event.toolCallId, tool: event.toolName, input: event.input });
    freeze(event.input);
    const answer = await ctx.ui.input("parley:approve", request, { signal: ctx.signal });
    if (answer === "allow") return undefined;
    return { block: true, reason: answer?.slice("deny ".length) || "The call was not approved." };
  });
}
