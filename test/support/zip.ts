import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';

/** Unpacks a zip into a folder; gives the paths of its files in the archive. */
export function unpack(zip: string, folder: string): string[] {
  const files = Object.entries(unzipSync(readFileSync(zip)));
  for (const [path, content] of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  return files.map(([path]) => path);
}
