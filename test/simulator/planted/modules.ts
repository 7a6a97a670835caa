import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';
import { plantedFiles } from './changes.ts';
import { ROOT } from './marks.ts';
import type { Mutant } from './mutant.ts';

/** A module as a function with the parameters of CommonJS. */
type Body = (require: (path: string) => unknown, module: { exports: object }, exports: object) => void;

/** A compiled file. */
interface Compiled {
  body: Body;
  /** Paths of the imported files, relative to the repository's root. */
  imports: readonly string[];
}

/**
 * Loads programs of the tests in this process, with bugs planted in them. Each program gets new modules. Their compiled
 * code is shared, so that loading another program only takes some hundredths of a second.
 */
class PlantedModules {
  private readonly begun = new Set<string>();
  private readonly files = new Map<string, Compiled>();

  /**
   * Loads a file with everything that it imports, and returns its exports. Rejects if a mark is missing, or if the bug
   * changes a file that the program doesn't contain. Only one call may run at a time.
   *
   * @param entry the path of the file, relative to the repository's root.
   */
  async load(entry: string, mutant?: Mutant): Promise<unknown> {
    await this.read(entry);
    const planted = new Map<string, Compiled>();
    for (const [file, text] of plantedFiles(mutant?.changes ?? [])) planted.set(file, await this.compiled(file, text));
    const compiledOf = (file: string): Compiled => planted.get(file) ?? this.files.get(file)!;
    const parts = reached(entry, (file) => compiledOf(file).imports);
    const left = [...planted.keys()].find((file) => !parts.has(file));
    if (left !== undefined) throw new Error(`${left} is no part of ${entry}`);
    const modules = new Map<string, { exports: object }>();
    const load = (file: string): object => {
      const known = modules.get(file);
      if (known !== undefined) return known.exports;
      const module = { exports: {} };
      modules.set(file, module);
      const fromPackage = createRequire(join(ROOT, file));
      const require = (path: string): unknown => (isFile(path) ? load(fileAt(file, path)) : fromPackage(path));
      compiledOf(file).body(require, module, module.exports);
      return module.exports;
    };
    return load(entry);
  }

  /** Compiles a file and everything that it imports, unless they are already compiled. */
  private async read(file: string): Promise<void> {
    if (this.begun.has(file)) return;
    this.begun.add(file);
    this.files.set(file, await this.compiled(file, await readFile(join(ROOT, file), 'utf8')));
  }

  private async compiled(file: string, text: string): Promise<Compiled> {
    const { code } = await transform(text, {
      ...{ loader: 'ts', format: 'cjs', target: 'node20' },
      // Dynamic imports become `require` calls, so that they are loaded like other imports.
      supported: { 'dynamic-import': false },
    });
    const paths = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, path]) => path!).filter(isFile);
    const imports = paths.map((path) => fileAt(file, path));
    await Promise.all(imports.map((path) => this.read(path)));
    const body = compileFunction(code, ['require', 'module', 'exports'], { filename: join(ROOT, file) }) as Body;
    return { body, imports };
  }
}

/** Shared by the whole process, so that each file is compiled once. */
export const plantedModules = new PlantedModules();

/** Returns a file and everything that it imports, directly or indirectly. */
function reached(file: string, importsOf: (file: string) => readonly string[], files = new Set<string>()): Set<string> {
  if (files.has(file)) return files;
  files.add(file);
  for (const path of importsOf(file)) reached(path, importsOf, files);
  return files;
}

function isFile(path: string): boolean {
  return path.startsWith('.') || path.startsWith('/');
}

/** Returns the path of an imported file, relative to the repository's root. */
function fileAt(importer: string, path: string): string {
  return relative(ROOT, resolve(ROOT, dirname(importer), path));
}
