import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A folder with a page that a studio can serve. */
export interface StubPage {
  page: URL;
  remove(): Promise<void>;
}

/** Makes a page whose files hold their own names: tests of the server need no built page. */
export async function stubPage(): Promise<StubPage> {
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-studio-'));
  for (const name of ['page.html', 'page.js', 'page.css']) await writeFile(join(folder, name), name);
  return { page: pathToFileURL(`${folder}/`), remove: () => rm(folder, { recursive: true, force: true }) };
}
