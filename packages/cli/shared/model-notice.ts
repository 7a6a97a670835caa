import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { countText } from '../../../src/foundation/figure.ts';
import { printable } from '../../../src/foundation/printable.ts';
import { type ModelNotice, modelNotice } from '../../../src/registry/notice.ts';

/** Reports on stderr how the model differs from the table's, and the command that resolves it. Returns the same for `--json`. */
export async function printModelNotice(
  graph: CompiledModel,
  store: Pick<Store, 'get' | 'getMany'>,
  write: (text: string) => unknown = (text) => process.stderr.write(text),
): Promise<{ managed: boolean; differs: readonly string[]; unready?: readonly string[] }> {
  const notice = await modelNotice(graph, store);
  const line = lineOf(notice);
  if (line !== undefined) write(`${printable(line)}\n`);
  const { isManaged, changes, unready } = notice;
  return { managed: isManaged, differs: isManaged ? changes : [], ...(unready && { unready }) };
}

export function unreadyText(unready: readonly string[] = []): string[] {
  if (unready.length === 0) return [];
  const parts = `${countText(unready.length, 'projection')} of the model`;
  return [
    `${parts} ${unready.length === 1 ? 'is' : 'are'} not ready in the table, and left out: run edgeloom migrate (${unready.map(printable).join('; ')})`,
  ];
}

function lineOf({ isManaged, changes, unready }: ModelNotice): string | undefined {
  if (!isManaged) return 'not managed: run edgeloom migrate';
  if (changes.length === 0) return undefined;
  const texts = changes.join('; ');
  return `the table keeps another model than this one: ${unready === undefined ? texts : `run edgeloom migrate (${texts})`}`;
}
