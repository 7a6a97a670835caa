import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** False in what is built of the sources. */
export const IS_SOURCE: boolean = import.meta.url.endsWith('.ts');

let folder: URL | undefined;

/** The URL of an asset, or of package.json. */
export function packageFile(path: string): URL {
  folder ??= packageFolder();
  return new URL(path, folder);
}

/** The path of a module with a file of its own when built, such as `src/index` or `packages/local/index`. */
export function ownModule(source: string): string {
  return fileURLToPath(packageFile(IS_SOURCE ? `${source}.ts` : `dist/${source.replace(/^(src|packages)\//, '')}.js`));
}

/** How deep this file lies depends on whether it is built. */
function packageFolder(): URL {
  for (let above = new URL('./', import.meta.url); ; above = new URL('../', above)) {
    if (existsSync(new URL('package.json', above)) || above.pathname === '/') return above;
  }
}
