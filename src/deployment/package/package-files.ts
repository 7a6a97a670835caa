import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** False in the built package. */
export const IS_SOURCE: boolean = import.meta.url.endsWith('.ts');

let folder: URL | undefined;

/** Returns the URL of an asset or of package.json. */
export function packageFile(path: string): URL {
  folder ??= packageFolder();
  return new URL(path, folder);
}

/** Returns the path of a module that has its own file when built, such as `src/index` or `packages/local/index`. */
export function ownModule(source: string): string {
  return fileURLToPath(packageFile(IS_SOURCE ? `${source}.ts` : `dist/${source.replace(/^(src|packages)\//, '')}.js`));
}

/** Searches upwards, because sources and build have different depths. */
function packageFolder(): URL {
  for (let above = new URL('./', import.meta.url); ; above = new URL('../', above)) {
    if (existsSync(new URL('package.json', above)) || above.pathname === '/') return above;
  }
}
