// Builds the package into dist. The library and the command share their files, so that a model file imports the same
// copy that the command runs.
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licensesOf, packagesOf } from './bundle/licenses.mjs';
import nodeModules from './bundle/node-modules.cjs';
import pinoParts from './bundle/pino-parts.cjs';
import { writeSbom } from './bundle/sbom.mjs';
import { staleDeclarations } from './bundle/stale-declarations.mjs';
import undiciParts from './bundle/undici-parts.cjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const { dependencies, peerDependencies, optionalDependencies, exports: exportsOfPackage } = require('../package.json');
const chunks = `${root}dist/chunks`;
// Packages that a user's project installs.
const external = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    index: 'src/index.ts',
    admin: 'src/admin.ts',
    feed: 'src/feed.ts',
    types: 'src/types.ts',
    'deployment/lambda/index': 'src/deployment/lambda/index.ts',
    'local/index': 'packages/local/index.ts',
    'deployment/stack/index': 'src/deployment/stack/index.ts',
    'deployment/telemetry/index': 'src/deployment/telemetry/index.ts',
    'deployment/telemetry/installed': 'src/deployment/telemetry/installed.ts',
    'cli/main': 'packages/cli/main.ts',
  },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  external: external.flatMap((name) => [name, `${name}/*`]),
  plugins: [undiciParts, pinoParts, nodeModules],
  legalComments: 'none',
  write: false,
  metafile: true,
  logLevel: 'warning',
});

// esbuild keeps these imports for the order of files, but no file needs it. Without them, a start reads less code.
const WITHOUT_NAMES = /^import "\.[^"]+";\n/gm;
// A user's bundler keeps an unused namespace object and everything that it names, unless a pure call creates the
// object.
const NAMESPACE = /^var (\w+) = \{\};\n__export\(\1, (\{[^}]*\})\);$/gm;
const PURE_NAMESPACE = 'var $1 = /* @__PURE__ */ ((target, names) => (__export(target, names), target))({}, $2);';
const written = new Set();
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replace(WITHOUT_NAMES, '').replace(NAMESPACE, PURE_NAMESPACE));
  written.add(relative(chunks, path));
}
// Removes chunks of earlier builds. Running programs have already loaded theirs.
for (const name of readdirSync(chunks)) if (!written.has(name)) rmSync(`${chunks}/${name}`);
for (const name of staleDeclarations(root)) rmSync(`${root}dist/${name}`, { force: true });
// From Node 20.19 on, CommonJS loads the same modules with `require`, which TypeScript's `node16` doesn't know.
for (const { require: entry } of Object.values(exportsOfPackage)) {
  if (entry === undefined) continue;
  const module = basename(entry.types).replace('.d.cts', '.js');
  writeFileSync(`${root}${entry.types}`, `// @ts-ignore: require takes a module.\nexport * from './${module}';\n`);
}
writeFileSync(`${root}dist/LICENSES.txt`, licensesOf(metafile, root));
writeSbom(root, packagesOf(metafile, root), true);
chmodSync(`${root}dist/cli/main.js`, 0o755);
