/**
 * How much each drawn test does: `part` in `npm test`, `rest` in `npm run test:rest` (if absent, a quarter of the whole, see `extent.ts`), and
 * `whole` each night. A part says that the test still runs and that nothing is plainly broken; `rest` and the night search.
 */
export interface Size {
  readonly part: number;
  readonly rest?: number;
  readonly whole: number;
}

/** Parts that the cells and the models of pairs of the matrix, the pairs of options, and the matrix's columns on an engine are dealt into for `npm test`. */
export const DEALT = { cells: 60, models: 180, optionPairs: 72, engineColumns: 6 };

export const SIZES = {
  // Schedules of the simulator's packs, from a seed on. `rest` of long ones is what shows planted bugs.
  projecting: { part: 80, rest: 1_250, whole: 10_000 },
  evolution: { part: 4, rest: 500, whole: 3_000 },
  observer: { part: 8, rest: 200, whole: 1_000 },
  level: { part: 60, rest: 1_000, whole: 4_000 },
  verify: { part: 15, rest: 500, whole: 2_000 },
  sources: { part: 15, rest: 300, whole: 3_000 },
  watch: { part: 8, rest: 125, whole: 1_000 },
  native: { part: 20, rest: 250, whole: 1_500 },
  walks: { part: 20, whole: 600 },
  updates: { part: 20, whole: 1_000 },
  ended: { part: 4, rest: 30, whole: 300 },
  rebuilds: { part: 10, rest: 150, whole: 1_500 },
  // Cases that properties draw.
  'same answers': { part: 25, whole: 120 },
  'filters of engines': { part: 15, whole: 100 },
  pages: { part: 20, whole: 1_000 },
  tenants: { part: 4, whole: 150 },
  ends: { part: 2, whole: 100 },
  levels: { part: 25, whole: 1_500 },
  'filtered lists': { part: 50, whole: 500 },
  'hostile items': { part: 10, whole: 60 },
  'models with costs': { part: 10, whole: 60 },
  encodings: { part: 300, whole: 6_000 },
  folding: { part: 300, whole: 6_000 },
  'low watermark': { part: 2_000, whole: 60_000 },
  'values read': { part: 25, whole: 300 },
  keys: { part: 100, whole: 1_000 },
  maxRcu: { part: 8, whole: 1_500 },
  // Schedules of model changes that are run twice.
  repeated: { part: 1, whole: 8 },
} satisfies Readonly<Record<string, Size>>;
