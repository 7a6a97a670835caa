// `npm run reference`: writes docs/reference from the code. A test compares the pages.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HAND_WRITTEN, referencePages } from './pages.ts';
import { ROOT } from './syntax.ts';

const folder = join(ROOT, 'docs/reference');
mkdirSync(folder, { recursive: true });
const pages = await referencePages();
for (const name of readdirSync(folder))
  if (!pages.has(name) && !HAND_WRITTEN.includes(name)) rmSync(join(folder, name));
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
console.log(`docs/reference: ${[...pages.keys()].join(', ')}`);
