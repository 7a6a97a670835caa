import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** A source file: its path, from `src` or as `packages/…`; its text, and the same text without comments. */
export interface Source {
  path: string;
  text: string;
  code: string;
}

/** An import, or an export from another module; `isType` where nothing of it is left at run time. */
export interface Import {
  specifier: string;
  isType: boolean;
}

const ROOT = resolve(import.meta.dirname, '../..');

/** Every TypeScript file of `src` and `packages`. */
export function sources(): Source[] {
  return ['src', 'packages'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .sort()
      .map((name) => {
        const text = readFileSync(join(ROOT, folder, name), 'utf8');
        return { path: folder === 'src' ? name : `${folder}/${name}`, text, code: withoutComments(text) };
      }),
  );
}

/** The path of a source in the file system. */
export function fileOf(path: string): string {
  return join(ROOT, path.startsWith('packages/') ? '' : 'src', path);
}

/** What a file imports. The compiler gives no syntax tree to programs, and import statements are regular enough. */
export function importsOf({ code }: Source): Import[] {
  const found: Import[] = [];
  const statement = /^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?'([^']+)'/gm;
  for (const [, type, names, specifier] of code.matchAll(statement)) {
    found.push({ specifier: specifier!, isType: type !== undefined || isTypesOnly(names) });
  }
  for (const [, specifier] of code.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)) {
    found.push({ specifier: specifier!, isType: false });
  }
  return found;
}

/** `{ type A, type B }`: nothing is left of it at run time but the import itself, which the compiler drops. */
function isTypesOnly(names: string | undefined): boolean {
  const list = names === undefined ? undefined : /^\{([^}]*)\}$/.exec(names.trim())?.[1];
  const parts = (list ?? '').split(',').map((part) => part.trim());
  return parts.some((part) => part !== '') && parts.every((part) => part === '' || part.startsWith('type '));
}

/** The path that a relative import of a file leads to; undefined for packages of others. */
export function resolveImport(from: Source, { specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = relative(ROOT, resolve(dirname(fileOf(from.path)), specifier));
  return path.startsWith('src/') ? path.slice('src/'.length) : path;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
