// `npm run bench`: compiles sources and benchmarks like a release. A loader that compiles on the fly wraps functions,
// which changes the figures.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = `${root}.cache/bench`;

mkdirSync(built, { recursive: true });
const { name: packageName, type } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
// The examples import the package by name. Here, they get the measured sources.
const exports = {
  '.': './src/index.js',
  './admin': './src/admin.js',
  './feed': './src/feed.js',
  './lambda': './src/deployment/lambda/index.js',
  './local': './packages/local/index.js',
};
writeFileSync(`${built}/package.json`, JSON.stringify({ name: packageName, type, exports }));
if (!existsSync(`${built}/assets`)) symlinkSync(`${root}assets`, `${built}/assets`);
mkdirSync(`${built}/dist`, { recursive: true });
for (const source of ['src/index.js', 'src/admin.js', 'src/feed.js', 'src/deployment', 'packages/local']) {
  const link = `${built}/dist/${source.slice(source.indexOf('/') + 1)}`;
  if (!existsSync(link)) symlinkSync(`../${source}`, link);
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run(`${root}node_modules/typescript/bin/tsc`, '-p', 'tsconfig.bench.json');
const [name, ...rest] = process.argv.slice(2);
if (name === 'figures') run(`${built}/bench/figures/main.js`, ...rest);
else run(`${built}/bench/main.js`, ...process.argv.slice(2));
