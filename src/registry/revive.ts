import { type CompiledModel, type Compute, listsOf } from '../core/model/compiled.ts';
import { NODE_LIST, nodeList } from '../core/model/node-list.ts';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import { type Data, derivesOf, type FindCode, reviveValue } from './data.ts';
import { checkKnownOptions, type Definition, definitionsOf, inboundName, orderName, searchName } from './definition.ts';

export type DefinitionData = ReadonlyMap<string, Data>;

/**
 * Returns a stored definition with its functions. Throws `registry-incomplete` if data is missing, `unknown-registry`
 * if newer software wrote it, and the retryable `projection-code-missing` if a function is missing.
 */
export function reviveDefinition(
  name: string,
  fingerprint: string,
  data: DefinitionData,
  own: CompiledModel,
): Definition {
  const mine = definitionsOf(own).get(name);
  if (mine?.fingerprint === fingerprint) return mine.definition;
  const stored = data.get(fingerprint);
  if (stored === undefined) {
    throw new EdgeloomError(
      'registry-incomplete',
      `The registry names a definition of ${name} that is not in the table.`,
      'Restore the items of the partition ~edgeloom, or register the table again.',
    );
  }
  checkKnownOptions(name, kindNamedIn(stored), stored);
  // rule: every-consumer-has-the-code-of-a-list
  const code = mine?.code ?? codeOfNodeList(name);
  const all = codeOfOrders(name, own) ?? code;
  const findCode: FindCode = (place, version) => {
    const derive = all?.get(place) as Partial<DeriveCode> | undefined;
    const compute = (derive?.version ?? 1) === version ? derive?.compute : derive?.others?.[version];
    // rule: missing-code-holds-up-the-batch
    if (compute === undefined) throw codeMissingError(name, version);
    return { kind: 'derive', compute, version };
  };
  return reviveValue(stored, findCode) as Definition;
}

/**
 * Finds the functions of an edge type's orders by path. When the definition was stored, an order may have shared an
 * item with other orders or not, so the paths for both cases are included.
 */
function codeOfOrders(name: string, own: CompiledModel): ReadonlyMap<string, object> | undefined {
  const edge = [...own.edges.values()].find(
    ({ type }) => name === inboundName(type) || name.startsWith(orderName(type, '')),
  );
  if (edge === undefined) return undefined;
  const order = name.slice(orderName(edge.type, '').length);
  const orders = new Map(listsOf(edge).flatMap((list) => [...list.orders]));
  return derivesOf({ order: orders.get(order), orders: [...orders.values()] });
}

/** No model file declares the function of a node list, because Edgeloom provides it. */
function codeOfNodeList(name: string): ReadonlyMap<string, object> | undefined {
  const type = name.slice(name.indexOf(':') + 1);
  if (name !== searchName(type, NODE_LIST)) return undefined;
  return derivesOf({ kind: 'search', type, search: nodeList(type) });
}

interface DeriveCode {
  compute: Compute;
  version?: number;
  others?: Readonly<Record<number, Compute>>;
}

function kindNamedIn(data: Data): string {
  return typeof data === 'object' && data !== null && 'kind' in data ? String(data.kind) : '';
}

function codeMissingError(name: string, version: number): StoreError {
  return new StoreError(
    'retryable',
    'projection-code-missing',
    `The table keeps ${name} with version ${version} of its derive function, which this model does not have.`,
    `Deploy a model whose derive of ${name} has version ${version}, or lists that version under others.`,
  );
}
