import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** True if the sources run, and not what is built of them. */
export const IS_SOURCE: boolean = import.meta.url.endsWith('.ts');

let folder: URL | undefined;

/** The URL of a file of this package that is no module, such as an asset or package.json. The path does not begin with a slash. */
export function packageFile(path: string): URL {
  folder ??= packageFolder();
  return new URL(path, folder);
}

/**
 * Path of one of this package's modules that have a file of their own when it is built, in the form that is running. The name is the
 * source's, without its ending: `src/index`, `packages/local/index`.
 */
export function ownModule(source: string): string {
  return fileURLToPath(packageFile(IS_SOURCE ? `${source}.ts` : `dist/${source.replace(/^(src|packages)\//, '')}.js`));
}

/** The folder above this file that has a package.json: how deep this file lies depends on whether it is built. */
function packageFolder(): URL {
  for (let above = new URL('./', import.meta.url); ; above = new URL('../', above)) {
    if (existsSync(new URL('package.json', above)) || above.pathname === '/') return above;
  }
}
