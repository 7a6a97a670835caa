import type { CompiledModel, Compute } from '../core/model/compiled.ts';
import { NODE_LIST, nodeList } from '../core/model/node-list.ts';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import { type Data, derivesOf, type FindCode, reviveValue } from './data.ts';
import {
  checkKnownOptions,
  type Definition,
  definitionsOf,
  type KeyedDefinition,
  searchName,
  type ViewDefinition,
  viewName,
} from './definition.ts';

/** Definitions as data, by their fingerprints. */
export type DefinitionData = ReadonlyMap<string, Data>;

/** The definition of a generation, with the functions of the own model. */
export function reviveKeyed(
  name: string,
  fingerprint: string,
  data: DefinitionData,
  own: CompiledModel,
): KeyedDefinition {
  return reviveWith(codeMissingError, name, fingerprint, data, own);
}

/**
 * The same for a reader: of a search that it does not know, and that shares the item of one that it knows, it needs no function. Items that
 * it derives have no place in that search.
 */
export function reviveForReader(
  name: string,
  fingerprint: string,
  data: DefinitionData,
  own: CompiledModel,
): KeyedDefinition {
  // rule: reader-needs-no-code-of-others
  return reviveWith(() => undefined, name, fingerprint, data, own);
}

function reviveWith(
  missing: MissingCode,
  name: string,
  fingerprint: string,
  data: DefinitionData,
  own: CompiledModel,
): KeyedDefinition {
  const mine = definitionsOf(own).projections.get(name);
  if (mine?.fingerprint === fingerprint) return mine.definition;
  // rule: every-consumer-has-the-code-of-a-list
  const code = codeOfNodeList(name) ?? codeOf(name, data.get(fingerprint), own);
  return reviveDefinition(name, fingerprint, data, code, missing) as KeyedDefinition;
}

/** The error of a function that a model lacks; undefined: it is not needed. */
type MissingCode = (name: string, version: number) => StoreError | undefined;

/**
 * The functions of a model by their places in a stored definition. The model may have them in other projections: a search or an order may
 * have shared another item, or had one of its own, when the definition was stored.
 */
// rule: code-follows-its-search-or-order
function codeOf(name: string, stored: Data | undefined, own: CompiledModel): ReadonlyMap<string, object> {
  const [, type = '', , named = ''] = /^\w+:([^.]*)(\.(.*))?$/s.exec(name) ?? [];
  switch (stored && kindNamedIn(stored)) {
    case 'search': {
      const { searches } = own.nodes.get(type) ?? {};
      return derivesOf({ search: searches?.get(named), packed: [...(searches?.values() ?? [])] });
    }
    case 'inbound':
    case 'order': {
      const { inbound, due } = own.edges.get(type) ?? {};
      const orders = new Map([...(inbound?.orders ?? []), ...(due?.orders ?? [])]);
      return derivesOf({ order: orders.get(named), orders: [...orders.values()] });
    }
    default:
      return new Map();
  }
}

/** The list of a type's nodes is in order by a function of this software, which a model without the list has as well. */
function codeOfNodeList(name: string): ReadonlyMap<string, object> | undefined {
  const type = name.slice(name.indexOf(':') + 1);
  if (name !== searchName(type, NODE_LIST)) return undefined;
  return derivesOf({ kind: 'search', type, search: nodeList(type) });
}

/** The definition of the views of a node type, with the functions of the own model. */
export function reviveView(
  type: string,
  fingerprint: string,
  data: DefinitionData,
  own: CompiledModel,
): ViewDefinition {
  const mine = definitionsOf(own).views.get(type);
  if (mine?.fingerprint === fingerprint) return mine.definition;
  return reviveDefinition(viewName(type), fingerprint, data, mine?.code) as ViewDefinition;
}

/**
 * Makes a definition from its data in the registry, with the functions of a model. Throws `registry-incomplete` if the data is missing,
 * `unknown-definition` if a newer software wrote it, and the retryable `projection-code-missing` if a function is missing.
 *
 * @param code the functions, by their places in the definition.
 */
function reviveDefinition(
  name: string,
  fingerprint: string,
  data: DefinitionData,
  code: ReadonlyMap<string, object> | undefined,
  missing: MissingCode = codeMissingError,
): Definition {
  const stored = data.get(fingerprint);
  if (stored === undefined) {
    throw new EdgeloomError(
      'registry-incomplete',
      `The registry names a definition of ${name} that is not in the table.`,
      'Restore the items of the partition ~edgeloom, or register the table again.',
    );
  }
  checkKnownOptions(name, kindNamedIn(stored), stored);
  const findCode: FindCode = (place, version) => {
    const derive = code?.get(place) as Partial<DeriveCode> | undefined;
    const compute = (derive?.version ?? 1) === version ? derive?.compute : derive?.others?.[version];
    const error = compute === undefined ? missing(name, version) : undefined;
    // rule: missing-code-holds-up-the-batch
    if (error !== undefined) throw error;
    return { kind: 'derive', compute: compute ?? (() => undefined), version };
  };
  return reviveValue(stored, findCode) as Definition;
}

/** The content of a compiled derive. */
interface DeriveCode {
  compute: Compute;
  version?: number;
  others?: Readonly<Record<number, Compute>>;
}

/** Returns the kind of a definition; empty if its data names none. */
function kindNamedIn(data: Data): string {
  return typeof data === 'object' && data !== null && 'kind' in data ? String(data.kind) : '';
}

/** Retryable: nothing is lost, and a deployment resolves it. */
function codeMissingError(name: string, version: number): StoreError {
  return new StoreError(
    'retryable',
    'projection-code-missing',
    `The table keeps ${name} with version ${version} of its derive function, which this model does not have.`,
    `Deploy a model whose derive of ${name} has version ${version}, or lists that version under others.`,
  );
}
