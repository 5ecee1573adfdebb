// Bundles src/main.ts and uPlot's style into the folder named as argument, with the hash that the page's policy allows.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(web, "dist"));

const bundle = await build({
  absWorkingDir: web,
  entryPoints: ["src/main.ts"],
  bundle: true,
  charset: "ascii",
  format: "iife",
  legalComments: "inline",
  minify: true,
  target: "es2020",
  write: false,
});

// The script stands inside an element: nothing in it may look like that element's end.
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script").trim();
const style = await readFile(join(web, "node_modules/uplot/dist/uPlot.min.css"), "utf8");
const hash = createHash("sha256").update(script).digest("base64");

await mkdir(out, { recursive: true });
await writeFile(join(out, "charts.js"), script);
await writeFile(join(out, "charts.css"), style.trim() + "\n");
await writeFile(join(out, "charts.sha256"), `sha256-${hash}`);
