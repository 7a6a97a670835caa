import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { minifySync, transformSync } from 'rolldown/utils';
import { ROOT } from './marks.ts';
import type { Mutant } from './mutant.ts';

/** Compiles planted bugs. */

/** A bug with the changed text of each file that it edits. */
export interface PlantedBug {
  mutant: Mutant;
  files: ReadonlyMap<string, string>;
}

/** Planted code is compiled below the repository's root, so that its imports find the installed packages. */
const FOLDER = join(ROOT, '.cache/planted');

const programsOfTexts = new Map<string, string>();

/** Returns the code without types, comments and formatting. */
export function programOf(text: string): string {
  const known = programsOfTexts.get(text);
  if (known !== undefined) return known;
  const { code } = transformSync('file.ts', text, { tsconfig: false, typescript: { onlyRemoveTypeImports: true } });
  const program = minifySync('file.js', code, { mangle: false }).code;
  programsOfTexts.set(text, program);
  return program;
}

/**
 * Returns the type errors of planted code, such as missing names and values of the wrong type. The folder keeps the
 * compiler's build information, so that the next call only checks changed files.
 */
export async function typeProblems(bugs: readonly PlantedBug[], folder = FOLDER): Promise<string[]> {
  const sources = join(folder, 'files');
  await rm(sources, { recursive: true, force: true });
  await mkdir(sources, { recursive: true });
  const planted = new Map<string, { name: string; file: string }>();
  for (const { mutant, files } of bugs) {
    for (const [file, text] of files) {
      const path = join(sources, `${mutant.name.replace(/[^A-Za-z0-9]+/g, '-')}.${file.replaceAll('/', '.')}`);
      planted.set(path, { name: mutant.name, file });
      await writeFile(path, importsInFull(file, text));
    }
  }
  const compilerOptions = {
    rewriteRelativeImportExtensions: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    tsBuildInfoFile: 'info.tsbuildinfo',
  };
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['files/*.ts'], exclude: [] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const printed = await compiler(['-p', folder, '--pretty', 'false', '--singleThreaded']);
  return printed
    .split('\n')
    .filter((line) => /^\S/.test(line))
    .map((line) => {
      const [, path = '', place = '', problem = line] = /^([^(]+)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
      const bug = planted.get(resolve(ROOT, path));
      return bug === undefined
        ? line
        : `${bug.file}:${place}: the planted bug ${bug.name} does not compile: ${problem}`;
    });
}

/** Makes relative imports absolute, because a planted file is compiled in another folder than the original. */
function importsInFull(file: string, text: string): string {
  return text.replace(/(from |import\()'(\.[^']+)'/g, (_, before: string, path: string) => {
    return `${before}'${resolve(ROOT, dirname(file), path)}'`;
  });
}

/** Returns the compiler's output, even if it finds errors. */
async function compiler(args: string[]): Promise<string> {
  const program = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    cwd: ROOT,
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout: string }) => error);
  return stdout;
}
