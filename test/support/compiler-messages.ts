import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT } from './command.ts';
import { run } from './packed.ts';

/** What compilers say of lines that have mistakes. */

const require = createRequire(import.meta.url);
const LINE = /^messages\.ts\((\d+),(\d+)\): error TS\d+: (.*)$/;

/** The compilers that are installed, by name. */
export const COMPILERS: ReadonlyMap<string, string> = new Map(
  ['typescript', 'typescript-5.9'].flatMap((name): [string, string][] => {
    try {
      return [[name, join(dirname(require.resolve(`${name}/package.json`)), 'bin/tsc')]];
    } catch {
      return [];
    }
  }),
);

/** A message of a compiler, and the word at which it points. */
export interface CompilerMessage {
  at: string;
  text: string;
}

/** The messages of a compiler for statements that follow a head, which has no mistake: one list for each statement. */
export async function messagesOf(
  compiler: string,
  head: string,
  statements: readonly string[],
): Promise<CompilerMessage[][]> {
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, '.cache/messages-'));
  try {
    const lines = statements.map((statement, i) => `export const s${i} = ${statement}`);
    await writeFile(join(folder, 'messages.ts'), `${head.trim()}\n${lines.join('\n')}\n`);
    const options = { incremental: false, paths: { edgeloom: ['../../src/index.ts'] } };
    const config = { extends: '../../tsconfig.json', compilerOptions: options, include: ['*.ts'], exclude: [] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const args = [compiler, '--noEmit', '--pretty', 'false', '-p', 'tsconfig.json'];
    const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error: { stdout: string }) => error);
    return sorted(stdout, head.trim().split('\n').length, lines);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function sorted(output: string, headLines: number, lines: readonly string[]): CompilerMessage[][] {
  const found = lines.map((): CompilerMessage[] => []);
  let at = -1;
  for (const line of output.split('\n').filter((text) => text !== '')) {
    const [, row, column, message] = LINE.exec(line) ?? [];
    if (row === undefined) {
      // Further lines of a message are indented.
      if (at < 0 || !line.startsWith(' ')) throw new Error(`the compiler says: ${line}`);
      found[at]!.at(-1)!.text += `\n${line}`;
      continue;
    }
    at = Number(row) - headLines - 1;
    const place = /^(?:'[^']*'|\w+|.)/.exec(lines[at]?.slice(Number(column) - 1) ?? '')?.[0];
    if (place === undefined) throw new Error(`the compiler says of the head: ${line}`);
    found[at]!.push({ at: place, text: message! });
  }
  return found;
}
