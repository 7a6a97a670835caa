import { createReader, createWriter, defineGraph, edge, node, rank, type Store } from 'edgeloom';
import { z } from 'zod';
const graph = defineGraph({
  table: 'records',
  nodes: {
    N0: node({ fields: z.object({ name: z.string(), size: z.number().optional(), tags: z.set(z.string()).optional() }), view: ['name'], search: { name: { caseInsensitive: true, project: ['name'] } } }),
    N1: node({ fields: z.object({ name: z.string(), size: z.number().optional(), tags: z.set(z.string()).optional() }), view: ['name'], search: { name: { caseInsensitive: true, project: ['name'] } } }),
    N2: node({ fields: z.object({ name: z.string(), size: z.number().optional(), tags: z.set(z.string()).optional() }), view: ['name'], search: { name: { caseInsensitive: true, project: ['name'] } } }),
    N3: node({ fields: z.object({ name: z.string(), size: z.number().optional(), tags: z.set(z.string()).optional() }), view: ['name'], search: { name: { caseInsensitive: true, project: ['name'] } } }),
    N4: node({ fields: z.object({ name: z.string(), size: z.number().optional(), tags: z.set(z.string()).optional() }), view: ['name'], search: { name: { caseInsensitive: true, project: ['name'] } } }),
    N5: node({ fields: z.object({ name: z.string(), size: z.number().optional(), tags: z.set(z.string()).optional() }), view: ['name'], search: { name: { caseInsensitive: true, project: ['name'] } } }),
  },
  edges: {
    E0: edge({ from: 'N0', to: 'N1', edgeSet: ['role'], inbound: { orders: { gsi0: rank('role', { x: 1, y: 2 }), gsi1: 'since' } } }),
    E1: edge({ from: 'N1', to: 'N2', edgeSet: ['role'], inbound: { orders: { gsi0: rank('role', { x: 1, y: 2 }), gsi1: 'since' } } }),
    E2: edge({ from: 'N2', to: 'N3', edgeSet: ['role'], inbound: { orders: { gsi0: rank('role', { x: 1, y: 2 }), gsi1: 'since' } } }),
    E3: edge({ from: 'N3', to: 'N4', edgeSet: ['role'], inbound: { orders: { gsi0: rank('role', { x: 1, y: 2 }), gsi1: 'since' } } }),
    E4: edge({ from: 'N4', to: 'N5', edgeSet: ['role'], inbound: { orders: { gsi0: rank('role', { x: 1, y: 2 }), gsi1: 'since' } } }),
    E5: edge({ from: 'N5', to: 'N0', edgeSet: ['role'], inbound: { orders: { gsi0: rank('role', { x: 1, y: 2 }), gsi1: 'since' } } }),
  },
});
export async function calls(store: Store): Promise<void> {
  const writer = createWriter(graph, { store });
  const reader = createReader(graph, { store });
  await writer.putNode('N0-1', { name: 'a' });
  await writer.updateNode('N0-1', ({ size = 0, ...rest }) => ({ ...rest, size: size + 1 }));
  await writer.updateNode('N0-1', { addTo: { tags: ['x'] } }, { if: { name: 'a' } });
  await writer.putEdge('N0-1', 'E0', 'N1-1', { role: 'x' });
  (await reader.inbound('N1-1', 'E0', { order: 'gsi1', between: ['2020', undefined] })).items[0]?.source satisfies `N0-${string}` | undefined;
  (await reader.page('N1-1', 'E0', { atLeast: 'x' })).items[0]?.attributes?.name satisfies string | undefined;
  (await reader.search('N0.name').equals('a')).items[0]?.attributes.name satisfies string | undefined;
  await writer.putNode('N1-1', { name: 'a' });
  await writer.updateNode('N1-1', ({ size = 0, ...rest }) => ({ ...rest, size: size + 1 }));
  await writer.updateNode('N1-1', { addTo: { tags: ['x'] } }, { if: { name: 'a' } });
  await writer.putEdge('N1-1', 'E1', 'N2-1', { role: 'x' });
  (await reader.inbound('N2-1', 'E1', { order: 'gsi1', between: ['2020', undefined] })).items[0]?.source satisfies `N1-${string}` | undefined;
  (await reader.page('N2-1', 'E1', { atLeast: 'x' })).items[0]?.attributes?.name satisfies string | undefined;
  (await reader.search('N1.name').equals('a')).items[0]?.attributes.name satisfies string | undefined;
  await writer.putNode('N2-1', { name: 'a' });
  await writer.updateNode('N2-1', ({ size = 0, ...rest }) => ({ ...rest, size: size + 1 }));
  await writer.updateNode('N2-1', { addTo: { tags: ['x'] } }, { if: { name: 'a' } });
  await writer.putEdge('N2-1', 'E2', 'N3-1', { role: 'x' });
  (await reader.inbound('N3-1', 'E2', { order: 'gsi1', between: ['2020', undefined] })).items[0]?.source satisfies `N2-${string}` | undefined;
  (await reader.page('N3-1', 'E2', { atLeast: 'x' })).items[0]?.attributes?.name satisfies string | undefined;
  (await reader.search('N2.name').equals('a')).items[0]?.attributes.name satisfies string | undefined;
  await writer.putNode('N3-1', { name: 'a' });
  await writer.updateNode('N3-1', ({ size = 0, ...rest }) => ({ ...rest, size: size + 1 }));
  await writer.updateNode('N3-1', { addTo: { tags: ['x'] } }, { if: { name: 'a' } });
  await writer.putEdge('N3-1', 'E3', 'N4-1', { role: 'x' });
  (await reader.inbound('N4-1', 'E3', { order: 'gsi1', between: ['2020', undefined] })).items[0]?.source satisfies `N3-${string}` | undefined;
  (await reader.page('N4-1', 'E3', { atLeast: 'x' })).items[0]?.attributes?.name satisfies string | undefined;
  (await reader.search('N3.name').equals('a')).items[0]?.attributes.name satisfies string | undefined;
  await writer.putNode('N4-1', { name: 'a' });
  await writer.updateNode('N4-1', ({ size = 0, ...rest }) => ({ ...rest, size: size + 1 }));
  await writer.updateNode('N4-1', { addTo: { tags: ['x'] } }, { if: { name: 'a' } });
  await writer.putEdge('N4-1', 'E4', 'N5-1', { role: 'x' });
  (await reader.inbound('N5-1', 'E4', { order: 'gsi1', between: ['2020', undefined] })).items[0]?.source satisfies `N4-${string}` | undefined;
  (await reader.page('N5-1', 'E4', { atLeast: 'x' })).items[0]?.attributes?.name satisfies string | undefined;
  (await reader.search('N4.name').equals('a')).items[0]?.attributes.name satisfies string | undefined;
  await writer.putNode('N5-1', { name: 'a' });
  await writer.updateNode('N5-1', ({ size = 0, ...rest }) => ({ ...rest, size: size + 1 }));
  await writer.updateNode('N5-1', { addTo: { tags: ['x'] } }, { if: { name: 'a' } });
  await writer.putEdge('N5-1', 'E5', 'N0-1', { role: 'x' });
  (await reader.inbound('N0-1', 'E5', { order: 'gsi1', between: ['2020', undefined] })).items[0]?.source satisfies `N5-${string}` | undefined;
  (await reader.page('N0-1', 'E5', { atLeast: 'x' })).items[0]?.attributes?.name satisfies string | undefined;
  (await reader.search('N5.name').equals('a')).items[0]?.attributes.name satisfies string | undefined;
}
