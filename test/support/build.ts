import { execFileSync } from 'node:child_process';

/**
 * Builds the package and the functions' zips, so that tests of the command and of the artefacts run what is in the
 * checkout. Once for all tests: two packagings at a time would write the same files.
 */
export default function setup(): void {
  execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync('npm', ['run', 'package'], { stdio: ['ignore', 'ignore', 'inherit'] });
}
