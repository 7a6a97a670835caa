// Builds the package into dist, next to the declarations that tsc writes to dist/types: library and command line share their files, so
// that a model file which imports the library gets the copy that the command runs with.
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licencesOf, packagesOf } from './bundle/licences.mjs';
import nodeModules from './bundle/node-modules.cjs';
import pinoParts from './bundle/pino-parts.cjs';
import { writeSbom } from './bundle/sbom.mjs';
import { staleDeclarations } from './bundle/stale-declarations.mjs';
import undiciParts from './bundle/undici-parts.cjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const { dependencies, peerDependencies, optionalDependencies, exports: exportsOfPackage } = require('../package.json');
const chunks = `${root}dist/chunks`;
// What a user's project has itself; all else is in the files.
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

// esbuild keeps the order in which files would have run. Loading one of them does nothing, so the order is of no use, and each of
// these imports would make a start read code that it does not need.
const WITHOUT_NAMES = /^import "\.[^"]+";\n/gm;
// A user's bundler keeps a namespace object, and all that it names, also where nothing uses it. It drops one that a pure call makes.
const NAMESPACE = /^var (\w+) = \{\};\n__export\(\1, (\{[^}]*\})\);$/gm;
const PURE_NAMESPACE = 'var $1 = /* @__PURE__ */ ((target, names) => (__export(target, names), target))({}, $2);';
const written = new Set();
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replace(WITHOUT_NAMES, '').replace(NAMESPACE, PURE_NAMESPACE));
  written.add(relative(chunks, path));
}
// A build before this one has left others; programs that run meanwhile have loaded theirs.
for (const name of readdirSync(chunks)) if (!written.has(name)) rmSync(`${chunks}/${name}`);
for (const name of staleDeclarations(root)) rmSync(`${root}dist/${name}`, { force: true });
// CommonJS gets the same modules by `require`, which Node has for them from 20.19 on. Under `node16` TypeScript does not know that.
for (const { require: entry } of Object.values(exportsOfPackage)) {
  if (entry === undefined) continue;
  const module = basename(entry.types).replace('.d.cts', '.js');
  writeFileSync(`${root}${entry.types}`, `// @ts-ignore: require takes a module.\nexport * from './${module}';\n`);
}
writeFileSync(`${root}dist/LICENSES.txt`, licencesOf(metafile, root));
writeSbom(root, packagesOf(metafile, root), true);
chmodSync(`${root}dist/cli/main.js`, 0o755);
