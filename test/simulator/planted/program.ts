import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { plantedFiles } from './changes.ts';
import { ROOT } from './marks.ts';
import type { Mutant } from './mutant.ts';

/** A program of the tests as one file that Node runs as it is: it starts in a tenth of the time that its sources take. */

/** For libraries in it that are no modules. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** A program in one file. */
export interface Program {
  file: string;
  /** Takes the file away. */
  remove: () => Promise<void>;
}

/**
 * Bundles a program, with the production code as it is or with a bug planted in it. Rejects where a mark of its rule is
 * missing, or the file is no part of the program: a planted bug that is not planted proves nothing.
 */
export async function bundledProgram(entry: URL, mutant?: Mutant): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-program-'));
  const file = join(folder, 'program.mjs');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const planted = new Set<string>();
  try {
    const files = plantedFiles(mutant?.changes ?? []);
    await build({
      ...{ entryPoints: [fileURLToPath(entry)], outfile: file, bundle: true, platform: 'node', format: 'esm' },
      ...{ target: 'node20', banner: { js: REQUIRE }, sourcemap: files.size === 0 && 'inline', logLevel: 'silent' },
      plugins: [planting(files, planted)],
    });
    const left = [...files.keys()].find((path) => !planted.has(path));
    if (left !== undefined) throw new Error(`${left} is no part of ${entry.pathname}`);
    return { file, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Gives the planted text of files in the place of their own; `planted` is told which. */
function planting(files: ReadonlyMap<string, string>, planted: Set<string>): Plugin {
  return {
    name: 'planting',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = relative(ROOT, path);
        const contents = files.get(file);
        if (contents === undefined) return undefined;
        planted.add(file);
        return { contents, loader: 'ts' };
      });
    },
  };
}
