// How extensions are read: TypeScript becomes JavaScript, modules without a suffix are found,
// and what the pi family brings along is there although it is not installed.
import fs from "node:fs";
import module from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as exported from "./shims.mjs";

const shims = new URL("./shims.mjs", import.meta.url).href;
const shimmed = /^(@sinclair\/typebox|typebox|@(mariozechner|oh-my-pi|earendil-works)\/pi-(ai|tui|coding-agent|agent-core|utils))(\/.*)?$/;
const typed = /\.[mc]?tsx?$/;

// named is the names that a module imports from a specifier.
function named(specifier, parent) {
  const names = new Set();
  if (!parent?.startsWith("file:")) return names;
  const source = fs.readFileSync(fileURLToPath(parent), "utf8");
  for (const [, list, from] of source.matchAll(/\b(?:import|export)\b(?:\s+type\b)?[^;'"{}]*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g)) {
    if (from !== specifier) continue;
    for (const part of list.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "").split(",")) {
      const name = part.trim().replace(/^type\s+/, "").split(/\s+as\s+/)[0].trim();
      if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && name !== "default") names.add(name);
    }
  }
  return names;
}

// standIn is the address of the module in the place of a package that is not installed: what shims.mjs
// has, and a stand-in for each other name that the module imports from it.
function standIn(specifier, parent) {
  const missing = [...named(specifier, parent)].filter((name) => !(name in exported));
  if (missing.length === 0 && !specifier.endsWith("/chalk")) return shims;
  return `${shims}?${new URLSearchParams({ specifier, names: missing.join(",") })}`;
}

// standInSource is the text of such a module; undefined: url is another.
function standInSource(url) {
  if (!url.startsWith(shims + "?")) return undefined;
  const query = new URL(url).searchParams;
  const specifier = query.get("specifier");
  const lines = [`export * from ${JSON.stringify(shims)};`, `import { absent, plainText } from ${JSON.stringify(shims)};`];
  for (const name of query.get("names").split(",").filter(Boolean)) {
    lines.push(`export const ${name} = absent(${JSON.stringify(name)}, ${JSON.stringify(specifier)});`);
  }
  lines.push(specifier.endsWith("/chalk") ? "export default plainText;" : `export { default } from ${JSON.stringify(shims)};`);
  return lines.join("\n");
}

// fallback is where a specifier leads that nothing was found for; undefined: nowhere.
export function fallback(specifier, parent) {
  if (shimmed.test(specifier)) return standIn(specifier, parent);
  if (!/^\.{0,2}\//.test(specifier) || !parent?.startsWith("file:")) return undefined;
  const base = fileURLToPath(new URL(specifier, parent));
  const bare = base.replace(/\.[mc]?jsx?$/, "");
  for (const file of [base + ".ts", base + ".js", base + ".mjs", path.join(base, "index.ts"), path.join(base, "index.js"), bare + ".ts", bare + ".mts"]) {
    if (fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return pathToFileURL(file).href;
  }
  return undefined;
}

// tool is a package of the user's: that of the extension, or a global one. That of the working
// folder is not asked: whose extension it is did not choose that folder.
function tool(name, file) {
  const places = [file, path.join(path.dirname(process.execPath), "..", "lib", "x.js")];
  for (const place of places) {
    try {
      return module.createRequire(place)(name);
    } catch {
      // not there
    }
  }
  return undefined;
}

// translate makes JavaScript of TypeScript, with what there is.
function translate(source, file) {
  let unfit;
  if (module.stripTypeScriptTypes && !/\.tsx$/.test(file)) {
    for (const mode of ["transform", "strip"]) {
      try {
        return module.stripTypeScriptTypes(source, { mode, ...(mode === "transform" ? { sourceMap: false } : {}) });
      } catch (err) {
        if (mode === "strip" && err.code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw err;
        unfit = err;
      }
    }
  }
  const esbuild = tool("esbuild", file);
  if (esbuild) return esbuild.transformSync(source, { loader: /x$/.test(file) ? "tsx" : "ts", format: "esm", target: "es2022", sourcefile: file }).code;
  const typescript = tool("typescript", file);
  if (typescript?.transpileModule) {
    return typescript.transpileModule(source, { fileName: file, compilerOptions: { module: 99, target: 9, jsx: 2 } }).outputText;
  }
  if (unfit) throw new Error(`${unfit.message}: use Bun, or install esbuild or typescript where the extension is`);
  throw new Error(
    `TypeScript cannot be read by Node.js ${process.versions.node} alone: use Node.js 22.13 or later, or Bun, or install esbuild or typescript where the extension is`,
  );
}

// own is the module of a URL that Node.js would read differently; undefined: leave it to Node.js.
export function own(url) {
  const source = standInSource(url);
  if (source !== undefined) return { format: "module", source, shortCircuit: true };
  if (!url.startsWith("file:")) return undefined;
  const file = fileURLToPath(url);
  if (typed.test(file)) {
    return { format: "module", source: translate(fs.readFileSync(file, "utf8"), file), shortCircuit: true };
  }
  if (!file.endsWith(".js") || file.includes(`${path.sep}node_modules${path.sep}`)) return undefined;
  const text = fs.readFileSync(file, "utf8");
  if (!/^\s*(import\s*[\w{*"']|export\s+(default|const|let|var|function|async|class|\{|\*))/m.test(text)) return undefined;
  return { format: "module", source: text, shortCircuit: true };
}

// resolve and load are for module.register, which runs them in a thread of their own.
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (err) {
    const url = fallback(specifier, context.parentURL);
    if (url === undefined) throw err;
    return { url, shortCircuit: true };
  }
}

export async function load(url, context, next) {
  return own(url) ?? next(url, context);
}

// install makes all of this hold.
export function install() {
  if (globalThis.Bun) return; // it reads TypeScript itself, and finds the stand-ins in NODE_PATH
  if (module.registerHooks) {
    module.registerHooks({
      resolve(specifier, context, next) {
        try {
          return next(specifier, context);
        } catch (err) {
          const url = fallback(specifier, context.parentURL);
          if (url === undefined) throw err;
          return { url, shortCircuit: true };
        }
      },
      load: (url, context, next) => own(url) ?? next(url, context),
    });
  } else {
    module.register(import.meta.url);
  }
}
