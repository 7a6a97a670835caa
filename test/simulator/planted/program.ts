import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { Mutant, Patch } from './mutant.ts';

/** A program of the tests as one file that Node runs as it is: it starts in a tenth of the time that its sources take. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** For libraries in it that are no modules. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** A program in one file. */
export interface Program {
  file: string;
  /** Takes the file away. */
  remove: () => Promise<void>;
}

/**
 * Bundles a program, with the production code as it is or with a bug planted in it. Rejects where a text is not in its file exactly
 * once, or the file is no part of the program: a planted bug that is not planted proves nothing.
 */
export async function bundledProgram(entry: URL, mutant?: Mutant): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-program-'));
  const file = join(folder, 'program.mjs');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const patches = mutant?.patches ?? [];
  const patched = new Set<string>();
  try {
    await build({
      ...{ entryPoints: [fileURLToPath(entry)], outfile: file, bundle: true, platform: 'node', format: 'esm' },
      ...{ target: 'node20', banner: { js: REQUIRE }, sourcemap: patches.length === 0 && 'inline', logLevel: 'silent' },
      plugins: [planting(patches, patched)],
    });
    const left = patches.find((patch) => !patched.has(patch.file));
    if (left !== undefined) throw new Error(`${left.file} is no part of ${entry.pathname}`);
    return { file, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Changes the text of files as they are read; `patched` is told which. */
function planting(patches: readonly Patch[], patched: Set<string>): Plugin {
  return {
    name: 'planting',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = relative(ROOT, path);
        const own = patches.filter((patch) => patch.file === file);
        if (own.length === 0) return undefined;
        let contents = await readFile(path, 'utf8');
        for (const { find, replace } of own) {
          const parts = contents.split(find);
          if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${find}`);
          contents = parts.join(replace);
        }
        patched.add(file);
        return { contents, loader: 'ts' };
      });
    },
  };
}
