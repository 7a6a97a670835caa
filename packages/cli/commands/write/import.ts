import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { type ImportFormat, importFile } from '../../../../src/client/write/import.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { interruptible } from '../../shared/interruptible.ts';
import { examples, exitCodes, wholeNumber } from '../../shared/options.ts';
import { inSession } from '../../shared/session.ts';

const STOPPED = 2;

export function importCommand(command: Command): void {
  command
    .argument('<file>', 'file to read, or - for standard input')
    .addOption(
      new Option('--format <format>', 'plain JSON, or DynamoDB JSON for sets and binary values')
        .choices(['plain', 'dynamodb'])
        .default('plain'),
    )
    .option('--skip-bad', 'skip invalid lines and write the others')
    .option('--force', 'write nodes that have versions, whatever their version is')
    .option('--from-line <number>', 'start at this line, if the lines before it were written', wholeNumber)
    .addHelpText(
      'after',
      examples('import items.jsonl', 'import - --format dynamodb < items.jsonl') +
        exitCodes({
          0: 'all items are written, except bad lines that --skip-bad names',
          2: 'stopped before its end, wrong use, or a failure',
        }),
    )
    .action(
      inSession(async ({ graph, store }, file: string, options: ImportCommandOptions) => {
        const started = performance.now();
        const result = await interruptible('items', 0, ({ signal, update }) =>
          withFile(file, signal, (path) =>
            importFile(graph, { store, file: path, ...options, signal, onProgress: update }),
          ),
        );
        const seconds = (performance.now() - started) / 1000;
        const { items, total, wcu, skipped, badLines = [], writtenThrough = 0 } = result;
        if (total !== undefined) process.exitCode = STOPPED;
        const written =
          total === undefined ? countText(items, 'item') : `${countText(items, 'item')} of ${countText(total, 'line')}`;
        const lines = [
          `${written} written, ${figureText(wcu)} WCU, ${figureText(seconds)} s` +
            `${skipped > 0 ? `, ${countText(skipped, 'bad line')} skipped:` : ''}`,
          ...badLines.map((line) => `  ${printable(line)}`),
          ...(skipped > badLines.length ? [`  ... and ${figureText(skipped - badLines.length)} more`] : []),
          ...(total === undefined
            ? []
            : [
                `stopped before its end; all lines up to ${writtenThrough} are written: --from-line ${writtenThrough + 1} goes on`,
              ]),
        ];
        return {
          json: { ...result, seconds, ...(total !== undefined && { stopped: true }) },
          text: lines.join('\n'),
        };
      }),
    );
}

interface ImportCommandOptions {
  format: ImportFormat;
  skipBad?: boolean;
  force?: boolean;
  fromLine?: number;
}

/** Copies standard input to a temporary file, because an import reads its file twice. */
async function withFile<T>(file: string, signal: AbortSignal, run: (path: string) => Promise<T>): Promise<T> {
  if (file !== '-') {
    await requireRegularFile(file);
    return await run(file);
  }
  const folder = await mkdtemp(join(tmpdir(), 'edgeloom-import-'));
  try {
    const spool = join(folder, 'items.jsonl');
    await pipeline(process.stdin, createWriteStream(spool), { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return await run(spool);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireRegularFile(file: string): Promise<void> {
  const hint = 'Name a file of JSON lines, or - for standard input.';
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new EdgeloomError('file-failed', `There is no file ${file}.`, hint);
  if (found.isDirectory()) throw new EdgeloomError('file-failed', `${file} is a folder.`, hint);
  if (!found.isFile()) throw new EdgeloomError('file-failed', `${file} is not a regular file.`, hint);
}
