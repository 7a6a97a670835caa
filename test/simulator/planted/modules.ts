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

/**
 * Programs of the tests in this process, with bugs planted in them. A program that is loaded has modules of its own; what they are
 * compiled to is shared, so that the next one costs some hundredths of a second.
 */
export class PlantedModules {
  private readonly begun = new Set<string>();
  private readonly bodies = new Map<string, Body>();

  /**
   * Loads a file, from the repository's root, and all that it imports, and gives what it exports. Rejects where a mark is missing, or a
   * file that the bug changes is no part of the program. One at a time.
   */
  async load(entry: string, mutant?: Mutant): Promise<unknown> {
    await this.read(entry);
    const planted = new Map<string, Body>();
    for (const [file, text] of plantedFiles(mutant?.changes ?? [])) planted.set(file, await this.compiled(file, text));
    const modules = new Map<string, { exports: object }>();
    const load = (file: string): object => {
      const known = modules.get(file);
      if (known !== undefined) return known.exports;
      const body = planted.get(file) ?? this.bodies.get(file);
      if (body === undefined) throw new Error(`${file} was not read.`);
      const module = { exports: {} };
      modules.set(file, module);
      const fromPackage = createRequire(join(ROOT, file));
      body((path) => (isFile(path) ? load(fileAt(file, path)) : fromPackage(path)), module, module.exports);
      return module.exports;
    };
    const exports = load(entry);
    const left = [...planted.keys()].find((file) => !modules.has(file));
    if (left !== undefined) throw new Error(`${left} is no part of ${entry}`);
    return exports;
  }

  /** Compiles a file and all that it imports, once. */
  private async read(file: string): Promise<void> {
    if (this.begun.has(file)) return;
    this.begun.add(file);
    this.bodies.set(file, await this.compiled(file, await readFile(join(ROOT, file), 'utf8')));
  }

  private async compiled(file: string, text: string): Promise<Body> {
    const { code } = await transform(text, { loader: 'ts', format: 'cjs', target: 'node20' });
    const paths = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, path]) => path!);
    await Promise.all(paths.filter(isFile).map((path) => this.read(fileAt(file, path))));
    return compileFunction(code, ['require', 'module', 'exports'], { filename: join(ROOT, file) }) as Body;
  }
}

function isFile(path: string): boolean {
  return path.startsWith('.') || path.startsWith('/');
}

/** The file that an import of another names, from the repository's root. */
function fileAt(importer: string, path: string): string {
  return relative(ROOT, resolve(ROOT, dirname(importer), path));
}
