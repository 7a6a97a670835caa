import { createInterface } from 'node:readline/promises';
import { EdgeloomError } from '../../../src/foundation/errors.ts';

export async function askToConfirm(plan: readonly string[], question: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new EdgeloomError('usage', 'The command needs a confirmation.', 'Look at what it would do, then give --yes.');
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${plan.join('\n')}\n${question} (yes/no) `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new EdgeloomError('usage', 'The answer was not yes: nothing was done.', 'Answer yes, or give --yes.');
}
