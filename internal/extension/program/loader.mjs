// How extensions are read: TypeScript becomes JavaScript, modules without a suffix are found,
// and what the pi family brings along is there although it is not installed.
import fs from "node:fs";
import module from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const shims = new URL("./shims.mjs", import.meta.url).href;
const shimmed = /^(@sinclair\/typebox|typebox|@(mariozechner|oh-my-pi|earendil-works)\/pi-(ai|tui|coding-agent|agent-core|utils))(\/.*)?$/;
const typed = /\.[mc]?tsx?$/;

// fallback is where a specifier leads that nothing was found for; undefined: nowhere.
export function fallback(specifier, parent) {
  if (shimmed.test(specifier)) return shims;
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
  if (!url.startsWith("file:")) return undefined;
  const file = fileURLToPath(url);
  if (typed.test(file)) {
    return { format: "module", source: translate(fs.readFileSync(file, "utf8"), file), shortCircuit: true };
  }
  if (!file.endsWith(".js") || file.includes(`${path.sep}node_modules${path.sep}`)) return undefined;
  const source = fs.readFileSync(file, "utf8");
  if (!/^\s*(import\s*[\w{*"']|export\s+(default|const|let|var|function|async|class|\{|\*))/m.test(source)) return undefined;
  return { format: "module", source, shortCircuit: true };
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
