import type * as z from 'zod';
import type { ValueType } from '../../items/encoding.ts';
import type { DeriveModel, OrderModel } from '../compiled.ts';
import { attributeName, deriveSchema, type MistakeLog, parsedPart, rankSchema, typedOrder } from './schemas.ts';

function parseOrder(input: unknown, path: string, mistakes: MistakeLog) {
  if (typeof input === 'string') return parsedPart(attributeName, input, path, mistakes);
  const kind = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : undefined;
  if (kind === 'rank') return parsedPart(rankSchema, input, path, mistakes);
  if (kind === 'derive') return parsedPart(deriveSchema, input, path, mistakes);
  if (typeof input === 'object' && input !== null) return parsedPart(typedOrder, input, path, mistakes);
  mistakes.push({ path, message: 'should be an attribute name, { from, type }, rank(...) or derive(...)' });
  return undefined;
}

/** Compiles an order, given in any of its four forms; after a mistake any order will do, since the model is refused. */
export function compileOrder(
  option: unknown,
  type: ValueType | undefined,
  path: string,
  mistakes: MistakeLog,
): OrderModel {
  const input = parseOrder(option, path, mistakes);
  if (input === undefined) return { kind: 'attribute', attribute: '', type: 'string' };
  if (typeof input === 'string') return { kind: 'attribute', attribute: input, type: type ?? 'string' };
  if ('from' in input) {
    if (type !== undefined && input.type !== undefined && input.type !== type) {
      mistakes.push({ path, message: `has two types, ${type} and ${input.type}` });
    }
    return { kind: 'attribute', attribute: input.from, type: input.type ?? type ?? 'string' };
  }
  if (type !== undefined && type !== 'string') {
    mistakes.push({ path, message: `a ${input.kind} gives a string; it has no type ${type}` });
  }
  if (input.kind === 'derive') return compiledDerive(input);
  return { kind: 'rank', attribute: input.attribute, weights: compileWeights(input.weights, path, mistakes) };
}

/** A derive as the compiled model has it. */
export function compiledDerive({ compute, version, others }: z.infer<typeof deriveSchema>): DeriveModel {
  return { kind: 'derive', compute, version, ...(others && { others }) };
}

function compileWeights(weights: Record<string, number>, path: string, mistakes: MistakeLog): Map<string, string> {
  const texts = new Map(Object.entries(weights).map(([label, weight]) => [label, String(weight)]));
  if (texts.size === 0) mistakes.push({ path, message: 'rank has no weights' });
  if (new Set([...texts.values()].map((text) => text.length)).size > 1) {
    mistakes.push({ path, message: `rank weights should have equal width, but are ${[...texts.values()].join(', ')}` });
  }
  return texts;
}
