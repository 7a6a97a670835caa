import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchmarkOptions } from './support/command.ts';
import { ratios } from './support/paired.ts';
import { atMost, type Figure, figure, type Report } from './support/report.ts';
import { spread } from './support/statistics.ts';

/**
 * Compares the compiler's time for a model of many types, and calls of writer and reader for each type, with the time
 * for few types.
 */

const FEW = 6;
const MANY = 60;
/** For ten times as many types. */
const MOST_OF_FEW = 2;
const REPETITIONS = 3;
const ROOT = process.cwd();

export async function types({ repetitions = REPETITIONS }: BenchmarkOptions): Promise<Report[]> {
  // Inside the repository, to use its compiler options and paths.
  const folder = mkdtempSync(join(ROOT, 'bench', '.types-'));
  try {
    const seconds = { few: [] as number[], many: [] as number[] };
    for (let i = 0; i < repetitions; i++) {
      seconds.few.push(compileSeconds(folder, FEW));
      seconds.many.push(compileSeconds(folder, MANY));
    }
    const few = spread(seconds.few);
    const many = spread(seconds.many);
    const figures: Figure[] = [
      figure(`a model of ${FEW} types`, few, 's'),
      figure(`a model of ${MANY} types`, many, 's'),
      figure('the second against the first', ratios(seconds.many, seconds.few), 'x', atMost(MOST_OF_FEW)),
    ];
    return [{ name: 'types', title: 'the compiler on models of few and of many types', figures }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compileSeconds(folder: string, count: number): number {
  writeFileSync(join(folder, 'model.ts'), modelSource(count));
  const compilerOptions = { noEmit: true, paths: { edgeloom: [join(ROOT, 'src/index.ts')] } };
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['model.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const start = performance.now();
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', folder], { stdio: ['ignore', process.stderr.fd, 'inherit'] });
  return (performance.now() - start) / 1000;
}

function modelSource(count: number): string {
  const numbers = Array.from({ length: count }, (_, i) => i);
  const nodes = numbers.map(
    (i) =>
      `    N${i}: node({ fields: z.object({ name: z.string(), size: z.number().optional(), tags: z.set(z.string()).optional() }), view: ['name'], search: { name: { caseInsensitive: true, project: ['name'] } } }),`,
  );
  const edges = numbers.map(
    (i) =>
      `    E${i}: edge({ from: 'N${i}', to: 'N${(i + 1) % count}', edgeSet: ['role'], inbound: { orders: { gsi0: rank('role', { x: 1, y: 2 }), gsi1: 'since' } } }),`,
  );
  const calls = numbers.map((i) => {
    const target = `N${(i + 1) % count}`;
    return [
      `  await writer.putNode('N${i}-1', { name: 'a' });`,
      `  await writer.updateNode('N${i}-1', ({ size = 0, ...rest }) => ({ ...rest, size: size + 1 }));`,
      `  await writer.updateNode('N${i}-1', { addTo: { tags: ['x'] } }, { if: { name: 'a' } });`,
      `  await writer.putEdge('N${i}-1', 'E${i}', '${target}-1', { role: 'x' });`,
      `  (await reader.inbound('${target}-1', 'E${i}', { order: 'gsi1', between: ['2020', undefined] })).items[0]?.source satisfies \`N${i}-\${string}\` | undefined;`,
      `  (await reader.page('${target}-1', 'E${i}', { atLeast: 'x' })).items[0]?.attributes?.name satisfies string | undefined;`,
      `  (await reader.search('N${i}.name').equals('a')).items[0]?.attributes.name satisfies string | undefined;`,
    ].join('\n');
  });
  return [
    "import { createReader, createWriter, defineGraph, edge, node, rank, type Store } from 'edgeloom';",
    "import { z } from 'zod';",
    `const graph = defineGraph({\n  table: 'records',\n  nodes: {\n${nodes.join('\n')}\n  },\n  edges: {\n${edges.join('\n')}\n  },\n});`,
    'export async function calls(store: Store): Promise<void> {',
    '  const writer = createWriter(graph, { store });',
    '  const reader = createReader(graph, { store });',
    calls.join('\n'),
    '}\n',
  ].join('\n');
}
