// Runs a WASI program under node: node .ci/run-wasm.mjs PROGRAM.wasm ARGUMENTS…
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: ["astrarium", ...args], env: {}, preopens: { ".": "." }, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exit(wasi.start(instance));
