import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licensesOf, packagesOf } from './bundle/licenses.mjs';
import { writeSbom } from './bundle/sbom.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const out = at('dist/studio/page');

mkdirSync(out, { recursive: true });
const { metafile } = await build({
  entryPoints: { page: at('packages/studio/page/main.tsx') },
  outfile: `${out}/page.js`,
  bundle: true,
  format: 'esm',
  minify: true,
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  metafile: true,
  absWorkingDir: at(''),
  logLevel: 'warning',
});
await build({
  entryPoints: [at('packages/studio/page/page.css')],
  outfile: `${out}/page.css`,
  minify: true,
  logLevel: 'warning',
});
writeFileSync(`${out}/LICENSES.txt`, licensesOf(metafile, at('')));
writeSbom(at(''), packagesOf(metafile, at('')), false);
copyFileSync(at('packages/studio/page/page.html'), `${out}/page.html`);
