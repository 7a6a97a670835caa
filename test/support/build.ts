import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './command.ts';
import { shared } from './shared.ts';

/** What a build is made of. */
const SOURCES = [
  'src',
  'packages',
  'assets',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** The sources of the last build that a test run made. */
const BUILT = join(ROOT, '.cache/built.txt');

/**
 * Builds the package once for a run, so that tests of the command run what is in the checkout. A build that a run before has made of the same
 * sources is kept, unless somebody else has built since.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { undo } = await shared('build', async () => {
    const before = stateOfBuild();
    if (existsSync(BUILT) && readFileSync(BUILT, 'utf8') === before) return { value: undefined };
    execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    writeFileSync(BUILT, stateOfBuild());
    return { value: undefined };
  });
  return undo;
}

/** A hash of the sources, and when the last file of a build was written. */
function stateOfBuild(): string {
  const hash = createHash('sha256');
  for (const place of SOURCES.map((name) => join(ROOT, name))) {
    const files = statSync(place).isFile() ? [place] : filesIn(place);
    for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  }
  const last = ['dist/cli/main.js', 'dist/types/src/index.d.ts', 'dist/studio/page/page.js'].map((file) =>
    existsSync(join(ROOT, file)) ? statSync(join(ROOT, file)).mtimeMs : 'none',
  );
  return `${hash.digest('hex')} ${last.join(' ')}`;
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
