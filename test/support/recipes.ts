/**
 * The recipes of CONTRIBUTING.md, each as an example: the edits of the files that it names, and a test of the addition. `recipes.test.ts`
 * performs them on a copy of the sources.
 */

/** A text that a file has once, and its replacement. */
export type Edit = readonly [old: string, next: string];

/** A recipe, performed by an example. */
export interface Recipe {
  /** The first cell of its row. */
  adds: string;
  /** The edits of each file, or the text of a new file, by the path from the repository's root. */
  files: Readonly<Record<string, string | readonly Edit[]>>;
  /** Files among them that the row leaves to the reader. */
  own: readonly string[];
  /** The tests that ask for an entry of the addition. */
  asking: readonly string[];
  /** A test that fails unless the addition works. Its name begins with `the recipe`. */
  test: string;
}

const SEARCH_OPTION: Recipe = {
  adds: 'an option of a search',
  asking: ['test/unit/docs.test.ts', 'test/unit/registry/definition-bytes.test.ts', 'test/property/matrix.test.ts'],
  own: [],
  files: {
    'src/core/model/schema.ts': [
      [
        '  /** Makes a search item for each element',
        '  /** White space around values and arguments does not count. Default false. */\n  trim?: boolean;\n  /** Makes a search item for each element',
      ],
    ],
    'src/core/model/options/option-tables.ts': [
      [
        '  caseInsensitive: textForm(FOLDING, FOLDED, foldText),',
        '  trim: textForm(1, (text) => text.trim()),\n  caseInsensitive: textForm(FOLDING, FOLDED, foldText),',
      ],
    ],
    'docs/reference/model-options.md': [
      [
        '| `multiValue` | One search',
        '| `trim` | White space around a value is ignored. | `false` | `true` | none |\n| `multiValue` | One search',
      ],
    ],
    // The bytes in it are written by `-u`.
    'test/unit/registry/definition-bytes.test.ts': [
      ['name: { caseInsensitive: true,', 'name: { trim: true, caseInsensitive: true,'],
    ],
    'test/matrix/features.ts': [
      [
        "  ofSearch(\n    'folded',",
        "  ofSearch('trimmed', ['search.trim'], [{ trim: true }, { trim: false }], { '': ['Ann', 'ann', ' Ann'] }),\n  ofSearch(\n    'folded',",
      ],
    ],
    'test/matrix/oracle.ts': [
      ['  caseInsensitive: (text) =>', '  trim: (text) => text.trim(),\n  caseInsensitive: (text) =>'],
    ],
  },
  test: `
import { expect, it } from 'vitest';
import { runCell } from '../matrix/cells.ts';
import { FEATURES } from '../matrix/features.ts';
import { OPERATIONS } from '../matrix/operations/all.ts';
import { memoryRig } from '../matrix/rig.ts';
import { node } from '../../src/core/model/schema.ts';

it('the recipe finds each value without the white space around it', async () => {
  node({ search: { name: { trim: true } } });
  const feature = FEATURES.find(({ options }) => options.includes('search.trim'))!;
  const outcomes = [];
  for (const operation of OPERATIONS) outcomes.push(await runCell(feature, operation, memoryRig));
  expect(outcomes.filter(({ state }) => state === 'failed')).toEqual([]);
});
`,
};

const COMMAND: Recipe = {
  adds: 'a command',
  asking: ['test/property/matrix.test.ts'],
  own: ['packages/cli/commands/read/types.ts'],
  files: {
    'packages/cli/commands/read/types.ts': `import type { Command } from 'commander';
import { inModel } from '../../shared/model.ts';
import { examples } from '../../shared/options.ts';

/** \`edgeloom types\`: the node types of the model. */
export function typesCommand(command: Command): void {
  command.addHelpText('after', examples('types', 'types --json')).action(
    inModel(async ({ graph }) => {
      const types = [...graph.nodes.keys()];
      return { json: types, text: types.join('\\n') };
    }),
  );
}
`,
    'packages/cli/command-list.ts': [
      [
        '  Build: {\n',
        "  Build: {\n    types: [\n      'list the node types of the model',\n      async () => (await import('./commands/read/types.ts')).typesCommand,\n    ],\n",
      ],
    ],
    'test/matrix/vocabulary.ts': [
      ["  'command:demo':", "  'command:types': 'It reads the model alone.',\n  'command:demo':"],
    ],
  },
  test: `
import { expect, it, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/program.ts';

it('the recipe runs the command', async () => {
  const printed: unknown[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(text) > 0);
  expect(await runCommandLine(['types', '--json'])).toBe(0);
  expect(printed.join('')).toContain('GOAL');
});
`,
};

const PARAMETER: Recipe = {
  adds: 'a parameter of the stack',
  asking: [],
  own: ['src/deployment/stack/parts/functions.ts'],
  files: {
    'src/deployment/stack/base/parameters.ts': [
      [
        '  logRetentionDays: number;',
        '  logRetentionDays: number;\n  /** Memory of the stream function. */\n  streamMegabytes: number;',
      ],
      [
        '    tracing: truth.default(false),',
        '    tracing: truth.default(false),\n    streamMegabytes: wholeBetween(128, 10_240).default(1024),',
      ],
    ],
    'src/deployment/stack/parts/functions.ts': [
      ['MemorySize: memoryMegabytes,', "MemorySize: name === 'stream' ? parameters.streamMegabytes : memoryMegabytes,"],
    ],
  },
  test: `
import { expect, it } from 'vitest';
import { loadModel } from '../../src/deployment/package/load-model.ts';
import { testStack } from '../support/stack/parameters.ts';

it('the recipe changes the resource', async () => {
  const { Resources } = testStack(await loadModel('edgeloom.config.ts'), { streamMegabytes: 512 });
  expect(Resources['StreamLambdaFunction']?.Properties).toMatchObject({ MemorySize: 512 });
});
`,
};

const ERROR: Recipe = {
  adds: 'an error',
  asking: ['test/unit/docs.test.ts'],
  own: ['packages/studio/base/query.ts'],
  files: {
    'packages/studio/base/query.ts': [["'invalid-argument', `The filter", "'invalid-pair', `The filter"]],
    'src/foundation/error-code.ts': [
      [
        "  | 'invalid-argument'",
        "  | 'invalid-argument'\n  /** A filter is no pair. Remedy: Give ATTRIBUTE=VALUE. */\n  | 'invalid-pair'",
      ],
    ],
  },
  test: `
import { it } from 'vitest';

it('the recipe has nothing more to show', () => undefined);
`,
};

/** Every recipe of the table. */
export const RECIPES: readonly Recipe[] = [SEARCH_OPTION, COMMAND, PARAMETER, ERROR];
