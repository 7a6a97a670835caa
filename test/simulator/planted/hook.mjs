/**
 * A loader that changes source files as they are loaded: `--import` it before tsx. The changes come as JSON in the
 * environment variable EDGELOOM_SIMULATOR_PATCHES: a list of { file, find, replace }, `file` an absolute URL. A text that
 * is not in its file exactly once ends the process: a planted bug that is not planted proves nothing.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

let patches = [];

if (isMainThread) {
  const data = JSON.parse(process.env.EDGELOOM_SIMULATOR_PATCHES ?? '[]');
  register(import.meta.url, { data });
}

/** Called on the loader's thread. */
export function initialize(data) {
  patches = data;
}

/** Hands on the changed text in place of the file's. */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const own = patches.filter(({ file }) => url.split('?')[0] === file);
  if (own.length === 0) return loaded;
  let source = Buffer.from(loaded.source).toString('utf8');
  for (const { file, find, replace } of own) {
    const parts = source.split(find);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${find}`);
    source = parts.join(replace);
  }
  return { ...loaded, source };
}
