import { execFileSync } from 'node:child_process';

/** Builds the package, so that tests of the command run what is in the checkout. */
export default function setup(): void {
  execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
}
