import { EdgeloomError } from '../foundation/errors.ts';
import type { SourceContext } from './context.ts';
import { numberValue, putNext, type Stored, serviceKey, storedIn } from './record.ts';
import { isRetired } from './source.ts';

export const HEADS = 'source/';

export interface Head {
  /** Empty for a retired source, so that only the touches of its retirement can continue. */
  version: string;
  /** When this version came into force, in milliseconds since 1970; 0 for the first version. */
  since: number;
}

export async function readHead({ store, source }: SourceContext): Promise<Stored<Head> | undefined> {
  // rule: source-head-is-read-consistently
  const { item } = await store.get(serviceKey(HEADS + source.name), { consistent: true });
  return storedIn(item);
}

export async function writeHead(
  { graph, store, source }: SourceContext,
  before: Stored<Head> | undefined,
  since: number,
): Promise<Stored<Head> | undefined> {
  const revision = (before?.revision ?? 0) + 1;
  const head = { revision, seen: numberValue(revision), state: { version: source.version, since } };
  const { applied } = await store.change(putNext(graph, serviceKey(HEADS + source.name), head, before?.seen));
  return applied ? head : undefined;
}

/** The first touch of a source puts its version in force. */
export async function requireInForce(context: SourceContext): Promise<void> {
  const { source } = context;
  const { name, version } = source;
  for (;;) {
    const head = await readHead(context);
    // rule: source-another-mapping-leaves-the-touch
    if (head?.state.version === version) return;
    if (head === undefined) {
      await writeHead(context, undefined, 0);
      continue;
    }
    const [here, remedy] = isRetired(source)
      ? ['being retired', `--retire ${name}, if you still want to retire it`]
      : [`mapped by version ${version} here`, `${name} with the model file that is deployed`];
    const there = isRetired(head.state) ? 'no version is' : `version ${head.state.version} is`;
    throw new EdgeloomError(
      'mapping-not-in-force',
      `The source ${name} is ${here}, but ${there} in force: the touch has to come again.`,
      `Run edgeloom mirror sync ${remedy}.`,
    );
  }
}
