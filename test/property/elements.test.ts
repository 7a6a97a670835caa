import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributeValue } from '../../src/core/items/attribute-value.ts';
import {
  decodeElement,
  edgeKeyOfElement,
  encodeElement,
  escapedEdge,
  escapedEdgeOfElement,
  escapedHashedEdge,
  labelEncoder,
} from '../../src/core/items/element.ts';
import { hashedSortKey } from '../../src/core/items/hashed-key.ts';
import { edgeSortKey } from '../../src/core/items/keys.ts';
import { anyText, typeName } from '../support/texts.ts';

const RUNS = { numRuns: 1500 };

const label: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.oneof(anyText, fc.constant('')).map((S) => ({ S })),
  fc.constantFrom('0', '-1', '1.5', '12345678901234567890123456789012345678', '0.00001').map((N) => ({ N })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant<AttributeValue>({ NULL: true }),
  fc.uint8Array({ maxLength: 20 }).map((B) => ({ B })),
);
const labels = fc.uniqueArray(fc.tuple(anyText, label), { selector: ([name]) => name, maxLength: 4 });

describe('elements of an edge set', () => {
  it('come apart exactly, for any id, label name and scalar label', () => {
    fc.assert(
      fc.property(typeName, anyText, labels, (type, id, given) => {
        const target = `USER-${id}`;
        const element = encodeElement(edgeSortKey(type, target), given);
        const decoded = decodeElement(element)!;
        expect(decoded).toEqual({ type, target, labels: given });
        expect(edgeKeyOfElement(element)).toBe(edgeSortKey(type, target));
      }),
      RUNS,
    );
  });

  it('come apart exactly where the key is hashed and the target is a label', () => {
    fc.assert(
      fc.property(typeName, anyText, labels, (type, id, given) => {
        const target = `USER-${id}`;
        const key = hashedSortKey(type, target);
        const element = given.reduce(
          (text, [name, value]) => text + labelEncoder(name)(value),
          escapedHashedEdge(key, target),
        );
        expect(decodeElement(element)).toEqual({ type, target, labels: given });
        expect(edgeKeyOfElement(element)).toBe(key);
        expect(escapedEdgeOfElement(element)).toBe(escapedEdge(key));
      }),
      RUNS,
    );
  });

  it('name their edge whatever their labels are, and no two edges alike', () => {
    fc.assert(
      fc.property(
        typeName,
        anyText,
        labels,
        typeName,
        anyText,
        labels,
        (type, id, given, otherType, otherId, other) => {
          const edge = edgeSortKey(type, id);
          const otherEdge = edgeSortKey(otherType, otherId);
          expect(escapedEdgeOfElement(encodeElement(edge, given))).toBe(escapedEdge(edge));
          expect(escapedEdgeOfElement(encodeElement(edge, other))).toBe(escapedEdge(edge));
          expect(escapedEdge(edge) === escapedEdge(otherEdge)).toBe(edge === otherEdge);
        },
      ),
      RUNS,
    );
  });

  it('are equal only where edge and labels are', () => {
    fc.assert(
      fc.property(anyText, labels, anyText, labels, (id, given, otherId, other) => {
        const equal = encodeElement(`E-${id}`, given) === encodeElement(`E-${otherId}`, other);
        expect(equal).toBe(JSON.stringify([id, given]) === JSON.stringify([otherId, other]));
      }),
      RUNS,
    );
  });
});
