// Writes src/protocol.ts: the declarations of schema/native.d.ts, and the two maps from methods to types that are definitions
// of schema/native.schema.json. PARLEY_SCHEMA is the folder of both; without it, that of the repository.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const folder = process.env.PARLEY_SCHEMA ?? join(here, "../../schema");
const { $defs: definitions } = JSON.parse(readFileSync(join(folder, "native.schema.json"), "utf8"));
const declarations = readFileSync(join(folder, "native.d.ts"), "utf8");

const typeName = (schema) => schema.$ref.replace("#/$defs/", "");

const requests = Object.entries(definitions.Requests.properties).map(([method, { properties, required }]) => {
  const optional = required.includes("params") ? "" : "?";
  return `  ${JSON.stringify(method)}: { params${optional}: ${typeName(properties.params)}; result: ${typeName(properties.result)} };`;
});
const notifications = Object.entries(definitions.Notifications.properties).map(([method, params]) => `  ${JSON.stringify(method)}: ${typeName(params)};`);

writeFileSync(
  join(here, "src/protocol.ts"),
  `${declarations}
/** The params and the result of each request. */
export interface Requests {
${requests.join("\n")}
}

/** The params of each notification. */
export interface Notifications {
${notifications.join("\n")}
}
`,
);
