import { Runner } from '../kernel/runner.ts';
import type { Mutant } from '../planted/mutant.ts';
import { SCOPES, scopeOf } from './scopes.ts';
import { rowOf, writePage } from './table.ts';

/**
 * Walks a scope, or `all` of them, and prints their rows. Sets the exit code to 1 if a schedule ends wrong. Of all scopes, without
 * a planted bug, it writes the page too.
 */
export async function walkScopes(name: string, mutant: Mutant | undefined): Promise<void> {
  const scopes = name === 'all' ? SCOPES : [scopeOf(name)];
  const rows: string[] = [];
  const runner = await Runner.start(mutant);
  try {
    for (const scope of scopes) {
      const exhausted = await runner.walkScope(scope.name, { stopsAtWrong: mutant !== undefined });
      rows.push(rowOf(scope, exhausted));
      process.stdout.write(`${rows.at(-1)}\n`);
      if (exhausted.first === undefined) continue;
      process.exitCode = 1;
      process.stderr.write(`${[...exhausted.first.steps, ...exhausted.first.differences].join('\n')}\n`);
    }
  } finally {
    await runner.stop();
  }
  if (name === 'all' && mutant === undefined && process.exitCode === undefined) writePage(rows);
}
