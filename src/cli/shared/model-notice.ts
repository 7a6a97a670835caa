import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { type ModelNotice, modelNotice } from '../../registry/notice.ts';
import { printable } from './shown.ts';

/**
 * Prints one line on stderr where a model differs from what the table keeps, with the command that resolves it; nothing
 * where nothing differs. Returns the same for `--json`.
 */
export async function printModelNotice(
  graph: CompiledModel,
  store: Pick<Store, 'get' | 'getMany'>,
  write: (text: string) => unknown = (text) => process.stderr.write(text),
): Promise<{ managed: boolean; differs: readonly string[] }> {
  const notice = await modelNotice(graph, store);
  const line = lineOf(notice);
  if (line !== undefined) write(`${printable(line)}\n`);
  return { managed: notice.isManaged, differs: notice.isManaged ? notice.changes : [] };
}

function lineOf({ isManaged, changes }: ModelNotice): string | undefined {
  if (!isManaged) return 'not managed: run edgeloom migrate';
  if (changes.length === 0) return undefined;
  return `the table keeps another model than this one: run edgeloom migrate (${changes.join('; ')})`;
}
