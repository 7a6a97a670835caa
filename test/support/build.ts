import { execFileSync } from 'node:child_process';
import { shared } from './shared.ts';

/** Builds the package once for a run, so that tests of the command run what is in the checkout. */
export default async function setup(): Promise<() => Promise<void>> {
  const { undo } = await shared('build', async () => ({
    value: execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] }),
  }));
  return undo;
}
