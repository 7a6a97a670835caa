import type { Moment } from '../../../src/clocks.ts';
import { EdgeloomError } from '../../../src/errors.ts';
import type { CompiledModel } from '../../../src/model/compiled.ts';
import { createReader, type Reader } from '../../../src/read/reader.ts';
import { registryLeases } from '../../../src/registry/reader-lease.ts';
import type { Session } from '../../../src/session/session.ts';
import type { Store } from '../../../src/store/port.ts';
import { modelOf, type Spec, showsCopies } from './models.ts';
import { ASKED, type Question } from './oracle.ts';

/** A reader of one model, alive for the whole schedule. */
export class EvolvingReader {
  private reader: Reader<CompiledModel>;

  constructor(
    readonly spec: Spec,
    store: Store,
    moment: () => Moment,
  ) {
    const model = modelOf(spec);
    this.reader = createReader(model, { store, leases: registryLeases(model, store, moment) });
  }

  /** From now on its answers show the writes of a session. */
  with(session: Session): this {
    this.reader = this.reader.with(session);
    return this;
  }

  /** The answer as JSON; `not-ready` where the reader is told so. */
  async ask({ kind, argument }: Question): Promise<string> {
    try {
      return await this.answer(kind, argument);
    } catch (error) {
      if (error instanceof EdgeloomError && error.code === 'projection-not-ready') return 'not-ready';
      throw error;
    }
  }

  private async answer(kind: Question['kind'], argument: string): Promise<string> {
    const { reader } = this;
    if (kind === 'search') {
      const items = await all((cursor) => reader.search('N.tag').eq(argument, { limit: 1, ...cursor }));
      return JSON.stringify(items.map(({ id }) => id).sort());
    }
    if (kind === 'text') {
      const items = await all((cursor) => reader.search('N.text').all({ limit: 2, ...cursor }));
      return JSON.stringify(items.map(hit));
    }
    if (kind === 'degree') return String(await reader.degree(argument, 'E'));
    if (kind === 'inbound' || kind === 'byRole' || kind === 'byA') {
      const order = kind === 'inbound' ? {} : { order: kind };
      const items = await all((cursor) => reader.inbound('E', argument, { limit: 1, ...order, ...cursor }));
      return JSON.stringify(items.map(({ source }) => source));
    }
    const nodes = await reader.get(ASKED);
    return JSON.stringify(
      nodes.map(({ id, attributes, edgeSet }) => ({
        id,
        attributes: attributes === null ? null : sorted(attributes),
        edgeSet: edgeSet.map(({ target, ...entry }) => {
          const { type: _, copy, ...labels } = entry as Record<string, unknown>;
          return { target, ...labels, ...(copy !== undefined && showsCopies(this.spec) && { copy }) };
        }),
      })),
    );
  }
}

function hit({ id, value }: { id: string; value: unknown }): unknown {
  return [value, id];
}

function sorted(attributes: object): object {
  return Object.fromEntries(Object.entries(attributes).sort());
}

async function all<T>(
  read: (cursor: { cursor?: string }) => Promise<{ items: T[]; cursor?: string | undefined }>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor === undefined ? {} : { cursor });
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return items;
}
