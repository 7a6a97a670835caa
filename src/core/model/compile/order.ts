import type { ValueType } from '../../items/encoding.ts';
import type { AttributeOrder, DeriveModel, EdgeOrderModel, OrderPart } from '../compiled.ts';
import { attributeName, type attributeOfEither, sourceSchema } from '../options/checks.ts';
import type { Shaped } from '../options/shape.ts';
import type { Mistakes } from './mistakes.ts';
import { checkShape, deriveSchema, rankSchema, typedOrder } from './schemas.ts';

const FORMS = 'should be an attribute name, date(...), number(...), rank(...) or derive(...)';
/** The parts share an index key, which has at most 1,024 bytes. */
const MOST_PARTS = 8;

function parseOrder(input: unknown, mistakes: Mistakes) {
  if (typeof input === 'string') return checkShape(attributeName, input, mistakes);
  const kind = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : undefined;
  if (kind === 'rank') return checkShape(rankSchema, input, mistakes);
  if (kind === 'derive') return checkShape(deriveSchema, input, mistakes);
  if (kind === 'date' || kind === 'number') return checkShape(typedOrder, input, mistakes);
  if (kind === 'source') return checkShape(sourceSchema, input, mistakes);
  mistakes.note(FORMS);
  return undefined;
}

export function compileOrder(
  option: unknown,
  type: ValueType | undefined,
  mistakes: Mistakes,
): Exclude<OrderPart, { kind: 'source' }> {
  const order = compilePart(option, type, mistakes);
  if (order.kind !== 'source') return order;
  mistakes.note('source belongs to the orders of edges: a node has no source');
  return order.order;
}

export function compileEdgeOrder(option: unknown, mistakes: Mistakes): EdgeOrderModel {
  if (!Array.isArray(option)) return compilePart(option, undefined, mistakes);
  if (option.length === 0 || option.length > MOST_PARTS) {
    mistakes.note(`should have 1 to ${MOST_PARTS} parts, but has ${option.length}`);
  }
  const parts = option.map((part, i) => compilePart(part, undefined, mistakes.at(`${i}`)));
  return { kind: 'parts', parts };
}

/** After a mistake, returns an arbitrary order, because the model is refused anyway. */
function compilePart(option: unknown, type: ValueType | undefined, mistakes: Mistakes): OrderPart {
  const input = parseOrder(option, mistakes);
  if (input === undefined) return { kind: 'attribute', attribute: '', type: 'string' };
  if (typeof input === 'string') return { kind: 'attribute', attribute: input, type: type ?? 'string' };
  if (isTyped(input)) {
    const { kind } = input;
    if (type !== undefined && kind !== type) mistakes.note(`has two types, ${type} and ${kind}`);
    return ownOrSourceOrder(input.attribute, (attribute) => ({ kind: 'attribute', attribute, type: kind }));
  }
  if (input.kind === 'source') {
    return ownOrSourceOrder(input, (attribute) => ({ kind: 'attribute', attribute, type: type ?? 'string' }));
  }
  if (type !== undefined && type !== 'string') {
    mistakes.note(`a ${input.kind} gives a string; it has no type ${type}`);
  }
  if (input.kind === 'derive') return compileDerive(input);
  const weights = compileWeights(input.weights, mistakes);
  return ownOrSourceOrder(input.attribute, (attribute) => ({ kind: 'rank', attribute, weights }));
}

function isTyped(input: { kind: string }): input is Shaped<typeof typedOrder> {
  return input.kind === 'date' || input.kind === 'number';
}

function ownOrSourceOrder(
  attribute: Shaped<typeof attributeOfEither>,
  order: (name: string) => AttributeOrder,
): OrderPart {
  if (typeof attribute === 'string') return order(attribute);
  return { kind: 'source', order: order(attribute.attribute) };
}

export function compileDerive({ compute, version, others }: Shaped<typeof deriveSchema>): DeriveModel {
  return { kind: 'derive', compute, version: version ?? 1, ...(others && { others: { ...others } }) };
}

function compileWeights(weights: Record<string, number>, mistakes: Mistakes): Map<string, string> {
  const texts = new Map(Object.entries(weights).map(([label, weight]) => [label, String(weight)]));
  if (texts.size === 0) mistakes.note('rank has no weights');
  if (new Set([...texts.values()].map((text) => text.length)).size > 1) {
    mistakes.note(`rank weights should have equal width, but are ${[...texts.values()].join(', ')}`);
  }
  return texts;
}
