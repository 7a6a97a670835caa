import { numberOf, stringOf } from '../core/items/attribute-value.ts';
import { REVISION } from '../core/items/derived-item.ts';
import { SERVICE_PARTITION } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { readItem } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { MOST_OVERTAKEN, overtakenByAnotherAim } from './migrate.ts';

/**
 * The key templates with which a table was migrated, in an item next to the registry. Whoever changes a template gives nodes other ids or
 * other partitions: what is derived under the old ones would stay.
 */

const KEY: ItemKey = { source: SERVICE_PARTITION, target: 'key-templates' };
const TEMPLATES = 'templates';

/** The templates of types, as texts, by `nodes.USER` and `edges.MEMBER`. */
type Templates = Readonly<Record<string, string>>;

/** The text of a type without templates. */
const NO_TEMPLATES = 'none';

/** Templates of a model that differ from those of the table, in words. */
export async function changedTemplates(store: Pick<Store, 'get'>, graph: CompiledModel): Promise<string[]> {
  const { templates } = await readTemplates(store);
  return differences(templates, templatesOf(graph));
}

/**
 * Records the templates of a model. Throws `keys-changed` for a type whose templates are recorded already and differ.
 *
 * @param takesNew whether templates that differ replace the recorded ones.
 */
export async function recordTemplates(
  store: Pick<Store, 'get' | 'update'>,
  graph: CompiledModel,
  takesNew: boolean,
): Promise<void> {
  const own = templatesOf(graph);
  for (let attempt = 0; attempt < MOST_OVERTAKEN; attempt++) {
    const { templates, revision } = await readTemplates(store);
    const changed = differences(templates, own);
    if (changed.length > 0 && !takesNew) throw keysChanged(changed);
    const all = { ...templates, ...own };
    if (graph.table.rawKeys === undefined && Object.keys(templates).length === 0) return;
    if (Object.keys(all).every((name) => all[name] === templates[name])) return;
    const { applied } = await store.update({
      key: KEY,
      set: { [TEMPLATES]: { S: JSON.stringify(all) } },
      unset: [],
      condition: { kind: 'revision', revision },
    });
    if (applied) return;
  }
  throw overtakenByAnotherAim();
}

async function readTemplates(
  store: Pick<Store, 'get'>,
): Promise<{ templates: Templates; revision: string | undefined }> {
  const item = await readItem({ store, stats: { rcu: 0 } }, KEY);
  const text = stringOf(item?.[TEMPLATES]);
  return { templates: text === undefined ? {} : (JSON.parse(text) as Templates), revision: numberOf(item?.[REVISION]) };
}

function templatesOf({ nodes, edges }: CompiledModel): Templates {
  const named = (kind: string, types: Iterable<{ type: string; key?: object | undefined }>): [string, string][] =>
    [...types].map(({ type, key }) => [`${kind}.${type}`, key === undefined ? NO_TEMPLATES : textOf(key)]);
  return Object.fromEntries([...named('nodes', nodes.values()), ...named('edges', edges.values())]);
}

/** Templates as a text that does not depend on the order of the options. */
function textOf(key: object): string {
  const sorted = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, one]) => [name, sorted(one)]),
        )
      : value;
  return JSON.stringify(sorted(key));
}

function differences(recorded: Templates, own: Templates): string[] {
  return Object.entries(own).flatMap(([name, text]) => {
    const before = recorded[name];
    return before === undefined || before === text ? [] : [`${name} has ${text}, the table ${before}`];
  });
}

function keysChanged(changed: readonly string[]): EdgeloomError {
  return new EdgeloomError(
    'keys-changed',
    `The model has other key templates than those that the table was migrated with: ${changed.join('; ')}.`,
    'Take the old ones, and declare another type for items under other keys; or give --new-keys, and then run edgeloom check --repair.',
  );
}
