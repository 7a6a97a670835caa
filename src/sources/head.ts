import { REVISION } from '../core/items/derived-item.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import type { Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import type { SourceContext } from './context.ts';
import { putOf, readRecord, recordsUnder, serviceKey } from './record.ts';

const PREFIX = 'source/';

/** The head of a source names the mapping and the database that are in force. */
export interface Head {
  /** The version of the source in force. */
  version: string;
  /** When it came into force, in milliseconds since 1970; 0: there was none before it. */
  since: number;
  /** The source is removed: no touch of it may go on. */
  retired: boolean;
  [REVISION]: number;
}

/** Reads the head of a source; undefined: the source was never mirrored. */
export async function readHead({ store, source }: SourceContext): Promise<Head | undefined> {
  // rule: source-head-is-read-consistently
  const head = await readRecord<Head>(store, serviceKey(PREFIX + source.name), true);
  return head as Head | undefined;
}

/** Puts the source as the context has it in force, if the head is as it was read; undefined: it isn't. */
export async function writeHead(
  { graph, store, source, isRetiring }: SourceContext,
  before: Head | undefined,
  since: number,
): Promise<Head | undefined> {
  const seen = before?.[REVISION] ?? 0;
  const head: Head = { version: source.version, since, retired: isRetiring, [REVISION]: seen + 1 };
  const condition = seen === 0 ? { present: false } : { equal: { [REVISION]: { N: String(seen) } } };
  const { applied } = await store.change(putOf(graph, serviceKey(PREFIX + source.name), head, condition));
  return applied ? head : undefined;
}

/** Whether the source as the context has it is in force. */
export function isInForce({ source, isRetiring }: SourceContext, head: Head | undefined): boolean {
  return head?.version === source.version && head.retired === isRetiring;
}

/** Lets a touch go on if its mapping is in force; the first touch of a source puts its own in force. Throws `mapping-not-in-force`. */
export async function requireInForce(context: SourceContext): Promise<void> {
  const { name, version } = context.source;
  for (;;) {
    const head = await readHead(context);
    // rule: source-another-mapping-leaves-the-touch
    if (isInForce(context, head)) return;
    if (head === undefined) {
      await writeHead(context, undefined, 0);
      continue;
    }
    const [here, remedy] = context.isRetiring
      ? ['being removed', `--retire ${name}, if it should still be removed`]
      : [`mapped by version ${version} here`, `${name} with the model file that is deployed`];
    const there = head.retired ? 'no version is' : `version ${head.version} is`;
    throw new EdgeloomError(
      'mapping-not-in-force',
      `The source ${name} is ${here}, but ${there} in force: the touch has to come again.`,
      `Run edgeloom mirror sync ${remedy}.`,
    );
  }
}

/** The heads of all sources of a table, also of removed ones, by name. */
export async function heads(
  graph: CompiledModel,
  store: Pick<Store, 'query'>,
  stats?: ReadStats,
): Promise<Map<string, Head>> {
  const found = new Map<string, Head>();
  for await (const head of recordsUnder<Head>(graph, store, { prefix: PREFIX }, stats))
    found.set(head.name, head as Head);
  return found;
}
