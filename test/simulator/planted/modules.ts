import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';
import { plantedFiles } from './changes.ts';
import { ROOT } from './marks.ts';
import type { Mutant } from './mutant.ts';

/** What a module is run with, as `require` gives it. */
type Body = (require: (path: string) => unknown, module: { exports: object }, exports: object) => void;

/** A file that is compiled. */
interface Compiled {
  body: Body;
  /** The files that it imports, from the repository's root. */
  imports: readonly string[];
}

/**
 * Programs of the tests in this process, with bugs planted in them. A program that is loaded has modules of its own; what they are
 * compiled to is shared, so that the next one costs some hundredths of a second.
 */
class PlantedModules {
  private readonly begun = new Set<string>();
  private readonly files = new Map<string, Compiled>();

  /**
   * Loads a file, from the repository's root, and all that it imports, and gives what it exports. Rejects where a mark is missing, or a
   * file that the bug changes is no part of the program. One at a time.
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

  /** Compiles a file and all that it imports, once. */
  private async read(file: string): Promise<void> {
    if (this.begun.has(file)) return;
    this.begun.add(file);
    this.files.set(file, await this.compiled(file, await readFile(join(ROOT, file), 'utf8')));
  }

  private async compiled(file: string, text: string): Promise<Compiled> {
    const { code } = await transform(text, {
      ...{ loader: 'ts', format: 'cjs', target: 'node20' },
      // Imports in the course of a run are loaded like the others.
      supported: { 'dynamic-import': false },
    });
    const paths = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, path]) => path!).filter(isFile);
    const imports = paths.map((path) => fileAt(file, path));
    await Promise.all(imports.map((path) => this.read(path)));
    const body = compileFunction(code, ['require', 'module', 'exports'], { filename: join(ROOT, file) }) as Body;
    return { body, imports };
  }
}

/** The programs of this process: what their files are compiled to is kept once. */
export const plantedModules = new PlantedModules();

/** A file, and all that it imports, also through others. */
function reached(file: string, importsOf: (file: string) => readonly string[], files = new Set<string>()): Set<string> {
  if (files.has(file)) return files;
  files.add(file);
  for (const path of importsOf(file)) reached(path, importsOf, files);
  return files;
}

function isFile(path: string): boolean {
  return path.startsWith('.') || path.startsWith('/');
}

/** The file that an import of another names, from the repository's root. */
function fileAt(importer: string, path: string): string {
  return relative(ROOT, resolve(ROOT, dirname(importer), path));
}
