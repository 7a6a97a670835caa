// `npm run docs`: makes the site of the pages in docs. `-- --out DIR` puts it elsewhere than into .edgeloom/site, `--base /edgeloom/` makes
// it for that path of its host.
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { installedPackage } from '../test/support/test-package.ts';
import type { SiteFacts } from './config.ts';
import { siteFiles, sitePages, titleOf } from './pages.ts';
import { apiPages } from './reference.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string' }, base: { type: 'string', default: '/' } } });
const out = resolve(values.out ?? join(ROOT, '.edgeloom/site'));

const { version, repository } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  repository?: { url: string };
};
const address = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');

// VitePress gets copies, whose links are those of the site, in a folder that finds its modules.
const installed = await installedPackage(join(ROOT, 'site'));
const pages = [...sitePages(ROOT, address), ...(await apiPages(ROOT, installed))];
const source = await mkdtemp(join(installed, 'pages-'));
for (const { path, text } of pages) await put(path, text);
const [landing, readme] = await Promise.all(
  ['site/index.md', 'README.md'].map((file) => readFile(join(ROOT, file), 'utf8')),
);
await put('index.md', withReadme(landing!, readme!));
for (const file of siteFiles(ROOT)) {
  // Beside the pages for those that show the file, and as it is for those that link to it.
  for (const folder of [source, join(source, 'public')]) {
    const to = join(folder, file.replace(/^docs\//, ''));
    await mkdir(dirname(to), { recursive: true });
    await copyFile(join(ROOT, file), to);
  }
}
const facts: SiteFacts = { pages: pages.map(titleOf), version, base: values.base, repository: address };
const config = relative(join(source, '.vitepress'), join(ROOT, 'site/config.ts'));
await put(
  '.vitepress/config.ts',
  `import { siteConfig } from '${config}';\nexport default siteConfig(${JSON.stringify(facts)});\n`,
);

const { build } = (await import(pathToFileURL(join(installed, 'node_modules/vitepress/dist/node/index.js')).href)) as {
  build(root: string, options: object): Promise<void>;
};
try {
  await build(source, { outDir: out });
} finally {
  await rm(source, { recursive: true });
}
console.log(`${pages.length + 1} pages in ${out}`);

async function put(path: string, text: string): Promise<void> {
  const to = join(source, path);
  await mkdir(dirname(to), { recursive: true });
  await writeFile(to, text);
}

/** Fills the landing page with the model, the calls and the first three figures of README. */
function withReadme(landing: string, readme: string): string {
  const [model, calls] = [...readme.matchAll(/```ts\n(.*?)\n```/gs)].map(([, code]) => code!);
  const table = /<!-- figures: peers -->\n(.*?)\n<!-- /s.exec(readme)?.[1]?.split('\n');
  if (model === undefined || calls === undefined || table === undefined)
    throw new Error('README.md lacks its example or its figures.');
  return landing
    .replace('%MODEL%', () => model)
    .replace('%CALLS%', () => calls)
    .replace('%FIGURES%', () => table.slice(0, 5).join('\n'));
}
