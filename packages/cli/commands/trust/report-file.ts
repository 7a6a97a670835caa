import { constants, type FileHandle, open } from 'node:fs/promises';
import { describe } from '../../../../src/foundation/describe.ts';
import { EdgeloomError, messageOf } from '../../../../src/foundation/errors.ts';
import { toJson } from '../../../../src/foundation/exact-json.ts';
import type { Finding } from '../../../../src/trust/check/finding.ts';
import { requireWritable } from '../../shared/writable.ts';
import { type RunState, reportJunit } from './check-report.ts';

export interface ReportTarget {
  kind: 'junit' | 'json';
  file: string;
}

export function reportTargets(given: readonly string[]): ReportTarget[] {
  const targets: ReportTarget[] = [];
  for (let i = 0; i < given.length; i += 2) {
    const [kind, file] = given.slice(i, i + 2);
    if ((kind !== 'junit' && kind !== 'json') || file === undefined) {
      throw new EdgeloomError(
        'invalid-argument',
        `--report takes a kind and a file, and ${describe(given.slice(i).join(' '))} is none.`,
        'Give junit FILE or json FILE, once for each report.',
      );
    }
    targets.push({ kind, file });
  }
  return targets;
}

/** Flags that neither follow links nor wait for pipes. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export async function requireReportFile({ file }: ReportTarget): Promise<void> {
  try {
    await requireWritable(file, { isReplaced: false });
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** Writes a new file or overwrites a regular one. Throws `file-failed` for anything else. */
export async function writeReport(
  { kind, file }: ReportTarget,
  json: unknown,
  findings: readonly Finding[],
  state: RunState,
): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, FLAGS);
    if (!(await handle.stat()).isFile()) throw new Error('it is no regular file');
    await handle.truncate();
    await handle.writeFile(kind === 'junit' ? reportJunit(findings, state) : `${toJson(json)}\n`);
  } catch (error) {
    throw notWritten(file, error);
  } finally {
    await handle?.close();
  }
}

function notWritten(file: string, error: unknown): EdgeloomError {
  return new EdgeloomError(
    'file-failed',
    `The report ${file} cannot be written: ${messageOf(error)}.`,
    'Name a new file, or a regular one that is to be replaced; links are not followed.',
    { cause: error },
  );
}
