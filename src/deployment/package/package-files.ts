import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** False in the built package. */
export const IS_SOURCE: boolean = import.meta.url.endsWith('.ts');

let folder: URL | undefined;

export function packageFile(path: string): URL {
  folder ??= packageFolder();
  return new URL(path, folder);
}

/** `source` must be its own file in the build, such as `src/index` or `packages/local/index`. */
export function ownModule(source: string): string {
  return fileURLToPath(packageFile(IS_SOURCE ? `${source}.ts` : `dist/${source.replace(/^(src|packages)\//, '')}.js`));
}

/** Searches upward, because sources and build have different depths. */
function packageFolder(): URL {
  for (let above = new URL('./', import.meta.url); ; above = new URL('../', above)) {
    if (existsSync(new URL('package.json', above)) || above.pathname === '/') return above;
  }
}

/** Returns a folder of the user, because cached code is executed and other users must not be able to write it. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'edgeloom');
}
