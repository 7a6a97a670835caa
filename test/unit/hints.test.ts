import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type TS from 'typescript-5.9';
import { expect, it } from 'vitest';
import { EdgeloomError, StoreError } from '../../src/foundation/errors.ts';
import { ROOT } from '../support/command.ts';

const ts = createRequire(import.meta.url)('typescript-5.9') as typeof TS;
/** Words that send a person somewhere else, or say nothing. */
const VAGUE = /^(See |Try again\.$|Correct it\.$|Give one of them\.$|Leave (it|them|the others) out\.$|[a-z-]+$)/;

/** Where each error is made, with the texts of its hint. */
function sites(): { place: string; hint: TS.Expression | undefined }[] {
  return ['src', 'packages', 'handlers', 'examples']
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((path) => join(folder, String(path))))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
      const found: { place: string; hint: TS.Expression | undefined }[] = [];
      const visit = (node: TS.Node): void => {
        if (ts.isNewExpression(node)) {
          const at = { EdgeloomError: 2, StoreError: 3 }[node.expression.getText(source)];
          const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
          if (at !== undefined) found.push({ place: `${file}:${line}`, hint: node.arguments?.[at] });
        }
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });
}

/** The texts that an expression may be, as far as they stand in it. */
function textsOf(hint: TS.Expression): string[] {
  if (ts.isStringLiteralLike(hint)) return [hint.text];
  if (ts.isConditionalExpression(hint)) return [...textsOf(hint.whenTrue), ...textsOf(hint.whenFalse)];
  if (ts.isBinaryExpression(hint)) return [...textsOf(hint.left), ...textsOf(hint.right)];
  return [];
}

it('every error says what to do: no hint is empty or vague', () => {
  const all = sites();
  expect(all.length).toBeGreaterThan(200);
  // The compiler sees to it that an EdgeloomError has a hint; a StoreError without one has that of its kind.
  const bad = all.flatMap(({ place, hint }) =>
    (hint === undefined ? [] : textsOf(hint))
      .filter((text) => text === '' || VAGUE.test(text))
      .map((text) => `${place} "${text}"`),
  );
  expect(bad).toEqual([]);
});

it('a failed call has the remedy of its kind where nothing more is known', () => {
  for (const kind of ['retryable', 'terminal', 'fatal'] as const)
    expect(new StoreError(kind, 'code', 'It failed.').hint).toMatch(/^[A-Z].{30,}\.$/);
  expectHintRequired();
});

/** Fails to compile where a hint may be left out. */
function expectHintRequired(): void {
  // @ts-expect-error a hint is not optional
  expect(new EdgeloomError('code', 'It failed.').hint).toBeUndefined();
}
