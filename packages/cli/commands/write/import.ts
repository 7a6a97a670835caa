import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { type ImportFormat, importFile } from '../../../../src/client/write/import.ts';
import { loadSources } from '../../../../src/deployment/package/load-model.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { importLines } from '../../../../src/mirror/lines.ts';
import { namedSource } from '../../shared/named-source.ts';
import { examples, refuseBeside, wholeNumber } from '../../shared/options.ts';
import type { Output } from '../../shared/output.ts';
import { startProgress } from '../../shared/progress.ts';
import { type CommandSession, inSession } from '../../shared/session.ts';
import { createStopSignal } from '../../shared/signals.ts';

/** Stopped before its end. */
const STOPPED = 2;

/** `edgeloom import FILE|-`: base items from JSON lines. */
export function importCommand(command: Command): void {
  command
    .argument('<file>', 'file to read, or - for standard input')
    .addOption(
      new Option('--format <format>', 'plain JSON, or DynamoDB JSON (sets and binary)')
        .choices(['plain', 'dynamodb'])
        .default('plain'),
    )
    .option('--skip-bad', 'write the good lines where others are bad')
    .option('--force', 'write nodes with versions too, whatever version is stored')
    .option('--from-line <number>', 'begin with this line: the lines before it are written', wholeNumber)
    .option('--source <name>', 'changes of a source, {"position","before","after"} on a line, through its mapping')
    .option('--complete', 'with --source: the file has every record, so what only an older mapping made goes')
    .addHelpText(
      'after',
      examples(
        'import items.jsonl',
        'import - --format dynamodb < items.jsonl',
        'import changes.jsonl --source orders',
      ),
    )
    .action(
      inSession(async (session, file: string, { source, complete, ...options }: ImportCommandOptions) => {
        const { graph, store } = session;
        if (source === undefined && complete) {
          throw new EdgeloomError('usage', '--complete is about a source.', 'Give --source with it.');
        }
        if (source !== undefined) {
          const format = options.format === 'plain' ? undefined : options.format;
          refuseBeside('--source', { ...options, format }, ['format', 'skipBad', 'force', 'fromLine']);
          return await importChanges(session, file, source, complete);
        }
        const started = performance.now();
        const progress = startProgress('items', 0);
        const { signal, release } = createStopSignal();
        const result = await withFile(file, signal, (path) =>
          importFile(graph, {
            store,
            file: path,
            ...options,
            signal,
            onProgress: (written, total) => progress.update(written, total),
          }),
        ).finally(() => {
          release();
          progress.stop();
        });
        const seconds = (performance.now() - started) / 1000;
        const { items, total, wcu, skipped, writtenThrough = 0 } = result;
        if (total !== undefined) process.exitCode = STOPPED;
        const written =
          total === undefined ? countText(items, 'item') : `${countText(items, 'item')} of ${countText(total, 'line')}`;
        const lines = [
          `${written} written, ${figureText(wcu)} WCU, ${figureText(seconds)} s` +
            `${skipped > 0 ? `, ${countText(skipped, 'bad line')} skipped` : ''}`,
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
  source?: string;
  complete?: boolean;
}

/** Something was refused; not a failure of the command. */
const FOUND = 1;
/** Refused lines that are printed; `--json` has more. */
const MOST_PRINTED = 20;

async function importChanges(
  { graph, store, settings }: CommandSession,
  file: string,
  name: string,
  complete: boolean | undefined,
): Promise<Output> {
  const source = namedSource(await loadSources(settings.config), name, settings.config);
  const progress = startProgress('lines', 0);
  const { signal, release } = createStopSignal();
  const result = await withFile(file, signal, (path) =>
    importLines(graph, {
      ...{ source, store, file: path, complete, signal },
      onProgress: (lines) => progress.update(lines, lines),
    }),
  ).finally(() => {
    release();
    progress.stop();
  });
  const { lines, written, refused, refusedLines } = result;
  if (refusedLines > 0) process.exitCode = FOUND;
  const rest = refusedLines - Math.min(MOST_PRINTED, refused.length);
  const texts = [
    ...refused.slice(0, MOST_PRINTED).map(({ line, reason }) => `line ${line}: ${reason}`),
    ...(rest > 0 ? [`and ${figureText(rest)} more`] : []),
    `${countText(lines, 'change')} read, ${countText(written, 'base item')} written, ${countText(refusedLines, 'line')} refused`,
  ];
  return { json: result, text: texts.map(printable).join('\n') };
}

/** Runs with a file's path; standard input is spooled to a temporary file first, since it has to be read twice. */
async function withFile<T>(file: string, signal: AbortSignal, run: (path: string) => Promise<T>): Promise<T> {
  if (file !== '-') {
    if (!(await isFile(file)))
      throw new EdgeloomError(
        'no-file',
        `There is no file ${file}.`,
        'Name a file of JSON lines, or - for standard input.',
      );
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

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
