// What the published types promise; compiling it is the test.

import { connect, isKind, spawn, type Client, type DurableRecord, type Method, type ParamsOf, type Session, type SessionRecord } from "parley-client";

export async function drive(address: string, token: string): Promise<string[]> {
  const client: Client = await connect(address, { token, name: "me", patienceMs: 1000, signal: AbortSignal.timeout(1000) });
  const other = await spawn({ program: "parley", args: ["--model", "offline/demo"], cwd: ".", env: process.env, stderr: "ignore" });
  const session: Session = await client.create({ workspace: "/srv/shop", settings: { mode: "prompt", model: null } });
  const { turn, steered } = await session.prompt({ text: "look", blocks: [{ kind: "image", image: { mime: "image/png", data: "aGVsbG8=" } }], ifBusy: "queue" });
  const lines: string[] = [turn ?? "", String(steered ?? false)];
  for await (const record of session.follow({ from: 3, transient: ["text_delta"], signal: AbortSignal.timeout(1000) })) {
    lines.push(shown(record));
  }
  const { models } = await client.request("models/list", {});
  const { settings, approvals } = await session.state();
  const { servers } = await session.request("servers/list", {});
  const { records, more } = await session.records({ before: 100, kinds: ["turn_ended"] });
  lines.push(...models.map((model) => model.name), settings.model ?? "", ...approvals.map((asked) => asked.id), ...servers.map((server) => server.name), ...records.map(number), String(more));
  await other.close();
  return lines;
}

function shown(record: SessionRecord): string {
  switch (record.kind) {
    case "text_delta":
      return record.data.text;
    case "turn_ended":
      return record.data.reason;
    default:
      return `${record.seq ?? 0} ${record.kind}`;
  }
}

function number(record: DurableRecord): string {
  return record.seq.toFixed();
}

export async function late(session: Session, approval: string): Promise<string> {
  try {
    await session.deny(approval, "not now");
  } catch (error) {
    if (isKind(error, "answered")) {
      return `${error.code} ${error.data.by} ${error.data.allowed}`;
    }
    throw error;
  }
  return "";
}

export const params: ParamsOf<"session/follow"> = { session: "s", from: 1 };
export const method: Method = "turn/prompt";

export function wrong(client: Client, session: Session): unknown[] {
  return [
    // @ts-expect-error: no such method
    client.request("session/teleport", {}),
    // @ts-expect-error: a client initializes by itself
    client.request("initialize", { protocol: 1, client: { name: "x" } }),
    // @ts-expect-error: a session has to be named
    client.request("session/state", {}),
    // @ts-expect-error: a method without a session
    session.request("models/list", {}),
    // @ts-expect-error: records that are stored are always sent
    session.follow({ transient: ["turn_ended"] }),
    // @ts-expect-error: ifBusy is one of three
    session.prompt({ text: "x", ifBusy: "wait" }),
    // @ts-expect-error: a token is for the network only
    spawn({ token: "x" }),
  ];
}
