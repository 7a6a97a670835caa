import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { derive, edge, node, number, part, rank, source, sum } from '../../../src/core/model/schema.ts';
import { anyEdge, anyNode, define, mistakesOf } from '../../support/model.ts';

/** A model against the validators of its types: names that they lack, and values that an option refuses. */

const fields = z.object({
  title: z.string(),
  due: z.iso.date().optional(),
  points: z.number().optional(),
  big: z.bigint().optional(),
  isOpen: z.boolean(),
  status: z.enum(['OPEN', 'DONE', 'PAUSED']),
  either: z.union([z.string(), z.number()]),
  note: z.string().nullable(),
  made: z.date().optional(),
  tags: z.array(z.string()),
  sizes: z.array(z.number()),
  seen: z.set(z.string()).optional(),
  counts: z.set(z.number()).optional(),
  place: z.object({ city: z.string() }).optional(),
  anything: z.unknown(),
  length: z.string().transform((text) => text.length),
  version: z.number().optional(),
});

const nodeMistakes = (options: object): string[] =>
  mistakesOf({ table: 'records', nodes: { GOAL: anyNode({ fields, ...options }) } });
const searchMistakes = (search: object): string[] => nodeMistakes({ search });
const edgeMistakes = (options: object): string[] =>
  mistakesOf({
    table: 'records',
    nodes: {
      GOAL: node({ view: 'ALL', fields, parts: { STATE: part({ fields: z.object({ rate: z.number() }) }) } }),
      TEAM: node({ view: 'ALL' }),
    },
    edges: { IN: anyEdge({ fields, from: 'GOAL', to: 'TEAM', ...options }) },
  });
const THERE = 'There are title, due, points, big, isOpen, status, either, note, made, tags, sizes, seen and 5 more';

describe('values that a search refuses', () => {
  it.each<[string, object]>([
    ["points: points is a number by its fields, but its search takes texts: give type: 'number'", { points: {} }],
    ["big: big is a number by its fields, but its search takes texts: give type: 'number'", { big: {} }],
    [
      "points: points is a number by its fields, but its search takes ISO 8601 texts: give type: 'number'",
      { points: { type: 'date' } },
    ],
    [
      'title: title is a text by its fields, but its search takes numbers: take it as a text, without number',
      { title: { type: 'number' } },
    ],
    [
      'isOpen: isOpen is a boolean by its fields, but its search takes texts: make a text of it with derive(...)',
      { isOpen: {} },
    ],
    [
      'place: place is an object by its fields, but its search takes texts: make a text of it with derive(...)',
      { place: {} },
    ],
    ['tags: tags is a list or set by its fields, but its search takes texts: give multiValue: true', { tags: {} }],
    ['seen: seen is a list or set by its fields, but its search takes texts: give multiValue: true', { seen: {} }],
    [
      'title: title is a text by its fields, but multiValue takes a list or set of texts: leave out multiValue',
      { title: { multiValue: true } },
    ],
    [
      "counts: counts is a list or set by its fields, but multiValue takes a list or set of texts: give type: 'number'",
      { counts: { multiValue: true } },
    ],
    [
      "sizes: sizes is a list or set by its fields, but multiValue takes a list or set of texts: give type: 'number'",
      { sizes: { multiValue: true } },
    ],
    ["either: either may be a number by its fields, but its search takes texts: give type: 'number'", { either: {} }],
    [
      'note: note may be null by its fields, but its search takes texts: make it optional in fields instead of nullable: an item without it is left out',
      { note: {} },
    ],
    [
      'made: made is a Date by its fields, but its search takes texts: make it an ISO 8601 text in fields, and take it as a date: no item holds a Date',
      { made: {} },
    ],
    [
      'status: status may be "PAUSED" by its fields, but its rank gives that no weight: add it to the rank',
      { status: rank('status', { OPEN: 1, DONE: 2 }) },
    ],
    [
      'points: points is a number by its fields, but its rank gives that no weight: make a text of it with derive(...)',
      { points: rank('points', { A: 1 }) },
    ],
    [
      'by.path: points is a number by its fields, but a path takes texts: make it a text in fields',
      { by: { path: ['title', 'points'] } },
    ],
    [
      'title.partition: points is a number by its fields, but a partition takes texts: make it a text in fields',
      { title: { partition: 'points' } },
    ],
  ])('%s', (expected, search) => {
    expect(searchMistakes(search)).toEqual([`nodes.GOAL.search.${expected}`]);
  });

  it('are none that its options take, and none that are not known', () => {
    const search = {
      title: { caseInsensitive: true },
      due: { type: 'date' },
      points: { type: 'number' },
      big: { type: 'number' },
      open: derive((attributes: { isOpen: boolean }) => String(attributes.isOpen)),
      status: rank('status', { OPEN: 1, DONE: 2, PAUSED: 3, GONE: 4 }),
      title2: { attribute: rank('title', { A: 1 }) },
      tags: { multiValue: true },
      sizes: { multiValue: true, type: 'number' },
      seen: { multiValue: true },
      anything: { type: 'date' },
      length: { type: 'number' },
    };
    expect(searchMistakes(search)).toEqual([]);
    expect(
      nodeMistakes({ fields: z.looseObject({ title: z.string() }), search: { other: {} }, view: ['some'] }),
    ).toEqual([]);
  });
});

describe('names that fields lack', () => {
  it('are said with the nearest and those that there are', () => {
    const wrong = `titel is no attribute of GOAL. Did you mean title? ${THERE}`;
    expect(
      nodeMistakes({ view: ['titel'], maxEntries: { titel: 3 }, versionAttribute: 'titel', deletedWhen: 'titel' }),
    ).toEqual([
      `nodes.GOAL.view: ${wrong}`,
      `nodes.GOAL.maxEntries.titel: ${wrong}`,
      `nodes.GOAL.deletedWhen: ${wrong}`,
      `nodes.GOAL.versionAttribute: ${wrong}`,
    ]);
    expect(searchMistakes({ titel: {}, title: { project: ['titel'], partition: 'titel' } })).toEqual([
      `nodes.GOAL.search.titel: ${wrong}`,
      `nodes.GOAL.search.title.project: ${wrong}`,
      `nodes.GOAL.search.title.partition: ${wrong}`,
    ]);
  });

  it('are found in parts, edges, their targets and their sources', () => {
    const parts = {
      STATE: part({ fields: z.object({ rate: z.number() }), view: ['rat'] as never, search: { rate: {} } as never }),
    };
    expect(nodeMistakes({ parts })).toEqual([
      'nodes.GOAL.parts.STATE.view: rat is no attribute of GOAL.STATE. Did you mean rate? There is rate',
      "nodes.GOAL.parts.STATE.search.rate: rate is a number by its fields, but its search takes texts: give type: 'number'",
    ]);
    const inbound = { orders: { gsi0: source('titel') }, projectSource: ['titel', 'STATE.rat'], project: ['titl'] };
    expect(edgeMistakes({ edgeSet: ['titel'], inbound })).toEqual([
      `edges.IN.edgeSet.titel: titel is no attribute of IN. Did you mean title? ${THERE}`,
      `edges.IN.inbound.orders.gsi0: titel is no attribute of GOAL. Did you mean title? ${THERE}`,
      `edges.IN.inbound.project: titl is no attribute of IN. Did you mean title? ${THERE}`,
      `edges.IN.inbound.projectSource: titel is no attribute of GOAL. Did you mean title? ${THERE}`,
      'edges.IN.inbound.projectSource: rat is no attribute of GOAL.STATE. Did you mean rate? There is rate',
    ]);
    const copying = edge({ from: 'TEAM', to: 'GOAL', copy: ['titel'] });
    expect(
      mistakesOf({
        table: 'records',
        nodes: { GOAL: node({ view: 'ALL', fields }), TEAM: node({ view: 'ALL' }) },
        edges: { HAS: copying },
      }),
    ).toEqual([`edges.HAS.copy: titel is no attribute of GOAL. Did you mean title? ${THERE}`]);
  });

  it('are not those of its end, without which it would never end: each option that names it says so', () => {
    const closed = z.object({ title: z.string() });
    const message = 'expiresAt is no attribute of';
    const messages = mistakesOf({
      table: 'records',
      nodes: {
        GOAL: node({
          fields: closed,
          view: 'ALL',
          expires: 'expiresAt' as never,
          search: { expiresAt: { type: 'number' } } as never,
        }),
        USER: node({
          view: 'ALL',
          parts: { STATE: part({ fields: closed, view: ['expiresAt'] as never }) },
        }),
      },
      edges: {
        HAS: edge({
          fields: closed,
          from: 'GOAL',
          to: 'USER',
          expires: 'expiresAt' as never,
          inbound: { orders: { byEnd: number('expiresAt' as never) } } as never,
        }),
      },
    });
    expect(messages).toEqual([
      expect.stringContaining(`nodes.GOAL.search.expiresAt: ${message} GOAL`),
      expect.stringContaining(`nodes.GOAL.expires: ${message} GOAL`),
      expect.stringContaining(`nodes.USER.parts.STATE.view: ${message} USER.STATE`),
      expect.stringContaining(`edges.HAS.expires: ${message} HAS`),
      expect.stringContaining(`edges.HAS.inbound.orders.byEnd: ${message} HAS`),
    ]);
    const open = z.looseObject({ title: z.string() });
    define({ table: 'records', nodes: { GOAL: node({ fields: open, expires: 'expiresAt' }) }, edges: {} });
    const known = z.object({ expiresAt: z.number().optional() });
    define({ table: 'records', nodes: { GOAL: node({ fields: known, expires: 'expiresAt' }) }, edges: {} });
  });

  it('may be those of another type that an edge joins, and of the table', () => {
    define({
      table: 'records',
      nodes: {
        GOAL: node({ fields, view: ['source'] as never }),
        TEAM: node({ view: 'ALL', fields: z.object({ name: z.string() }) }),
        USER: node({ view: 'ALL' }),
      },
      edges: {
        A: edge({
          from: ['GOAL', 'TEAM'],
          to: 'USER',
          inbound: { orders: { gsi0: source('title'), gsi1: source('name') } },
        }),
        B: edge({ from: ['GOAL', 'USER'], to: 'USER', inbound: { orders: { gsi0: source('whatever') } } }),
        C: edge({ from: 'USER', to: ['GOAL', 'TEAM'], copy: ['title', 'name'] }),
      },
    });
  });
});

describe('values that an edge type refuses', () => {
  it.each<[string, object]>([
    [
      "inbound.orders.gsi0: points is a number by its fields, but its order takes texts: order by number('points')",
      { inbound: { orders: { gsi0: 'points' } } },
    ],
    [
      'inbound.orders.gsi0.1: tags is a list or set by its fields, but its order takes texts: make a text of it with derive(...)',
      { inbound: { orders: { gsi0: ['title', 'tags'] } } },
    ],
    [
      "inbound.orders.gsi0: points is a number by its fields, but its order takes texts: order by number(source('points'))",
      { inbound: { orders: { gsi0: source('points') } } },
    ],
    [
      "inbound.orders.byRate: rate is a number by its fields, but its order takes texts: order by number(source('STATE.rate'))",
      { inbound: { orders: { byRate: source('STATE.rate') } } },
    ],
    [
      'inbound.orders.gsi0: status may be "DONE" or "PAUSED" by its fields, but its rank gives that no weight: add it to the rank',
      { inbound: { orders: { gsi0: rank(source('status'), { OPEN: 1 }) } } },
    ],
    [
      'inbound.partition: isOpen is a boolean by its fields, but a partition takes texts: make it a text in fields',
      { inbound: { orders: { gsi0: 'title' }, partition: source('isOpen') } },
    ],
    [
      'inbound.total.all: title is a text by its fields, but a sum takes numbers: make it a number in fields, or count its values with groupBy',
      { inbound: { total: { all: sum('title') } } },
    ],
    [
      'outgoing.total.all: title is a text by its fields, but a sum takes numbers: make it a number in fields, or count its values with groupBy',
      { outgoing: { total: { all: sum('title') } } },
    ],
    [
      'outgoing.groupBy: tags is a list or set by its fields, but a group takes texts, numbers and booleans: name another attribute',
      { outgoing: { groupBy: ['tags'] } },
    ],
    [
      'edgeSet.tag: tags is a list or set by its fields, but a label of an edge set takes texts, numbers and booleans: make a text of it with derive(...)',
      { edgeSet: { tag: 'tags' } },
    ],
  ])('%s', (expected, options) => {
    expect(edgeMistakes(options)).toEqual([`edges.IN.${expected}`]);
  });
});

describe('attributes that a writer sets', () => {
  it.each<[string, object]>([
    [
      'versionAttribute: title is a text by its fields, but a version is a number that the writer counts up: name an optional number',
      { versionAttribute: 'title', fields: z.object({ title: z.string().optional() }) },
    ],
    [
      'versionAttribute: v is required by its fields, but a new node has no version: make it optional in fields',
      { versionAttribute: 'v', fields: z.object({ v: z.number() }) },
    ],
    [
      'fields: ask for source, which the writer sets itself, and updates do not have: leave it out of fields',
      { fields: z.object({ source: z.string(), name: z.string() }) },
    ],
  ])('%s', (expected, options) => {
    expect(nodeMistakes(options)).toEqual([`nodes.GOAL.${expected}`]);
  });

  it('are taken where they fit', () => {
    expect(nodeMistakes({ versionAttribute: 'version', maxEntries: { tags: 3, seen: 4, place: 5 } })).toEqual([]);
    const optional = z.object({ source: z.string().optional() });
    expect(nodeMistakes({ fields: optional })).toEqual([]);
  });
});

describe('other validators', () => {
  const validator = (output: unknown): StandardSchemaV1 => {
    const schema = () => output as Record<string, unknown>;
    const validate = (value: unknown) => ({ value });
    return {
      '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input: schema, output: schema } },
    } as never;
  };
  const searched = (output: unknown): string[] => nodeMistakes({ fields: validator(output), search: { size: {} } });

  it('are asked for a JSON Schema, with unions and references', () => {
    const size = { $ref: '#/$defs/size' };
    const $defs = { size: { anyOf: [{ type: 'integer' }, { const: 'LARGE' }] } };
    const wrong = 'nodes.GOAL.search.size: size may be a number by its fields';
    expect(searched({ type: 'object', properties: { size }, $defs })).toEqual([expect.stringContaining(wrong)]);
    const oneOf = [{ properties: { size: { type: 'string' } } }, { properties: { size: { enum: [1, 2] } } }];
    expect(searched({ oneOf })).toEqual([expect.stringContaining(wrong)]);
  });

  it.each<[string, unknown]>([
    ['no schema', undefined],
    ['no properties', { type: 'object' }],
    ['a conjunction', { allOf: [{ properties: {} }], properties: { size: { type: 'number' } } }],
    ['a reference to itself', { properties: { size: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/a' } } }],
    ['a reference to nothing', { properties: { size: { $ref: '#/definitions/a' } } }],
    ['one shape that is not known', { anyOf: [{ properties: { size: { type: 'number' } } }, {}] }],
    ['a type of no name', { properties: { size: { type: 'toString' } } }],
  ])('are taken at their word, where they say %s', (_name, output) => {
    expect(searched(output)).toEqual([]);
  });

  it('may have none, or throw', () => {
    const { jsonSchema, ...rest } = validator({})['~standard'] as unknown as Record<string, unknown>;
    const failing = () => {
      throw new Error('no schema of a transform');
    };
    for (const standard of [rest, { ...rest, jsonSchema: { input: failing, output: failing } }]) {
      expect(nodeMistakes({ fields: { '~standard': standard }, search: { size: {} } })).toEqual([]);
    }
    expect(jsonSchema).toBeDefined();
  });
});

it('refuses a most number of entries of what has none', () => {
  expect(nodeMistakes({ maxEntries: { title: 3, points: 3 } })).toEqual([
    expect.stringContaining('title is a text by its fields, but only lists, sets and maps have entries'),
    expect.stringContaining('points is a number by its fields, but only lists, sets and maps have entries'),
  ]);
  expect(nodeMistakes({ maxEntries: { tags: 3, seen: 3, place: 3, anything: 3 } })).toEqual([]);
});
