import { expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { registerIfEmpty } from '../../src/migrate/register-empty.ts';
import { doubtTable } from '../../src/registry/identity.ts';
import { modelNotice } from '../../src/registry/notice.ts';
import { check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** A consumer that meets a new stream of a registered table takes every projection from readers, until a migration has verified it. */
it('nodes and edges of the model are of no unknown type while none of its projections is ready', async () => {
  const graph = defineGraph({
    table: uniqueTableName(),
    nodes: { USER: node({ view: 'ALL', search: { name: {} } }) },
    edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
  });
  const { store } = await testTable(graph);
  await registerIfEmpty({ graph, store });
  expect(await modelNotice(graph, store)).toEqual({ isManaged: true, changes: [] });
  const user = { source: { S: 'USER-1' }, target: { S: 'USER-1' }, name: { S: 'Ada' } };
  await store.put(user);
  await store.put({ source: { S: 'USER-1' }, target: { S: 'KNOWS-USER-2' }, since: { S: '2026' } });
  await store.put({ source: { S: 'OTHER-1' }, target: { S: 'OTHER-1' } });
  await doubtTable(store);

  const findings: Finding[] = [];
  const onFinding = (finding: Finding): void => void findings.push(finding);
  for (const mode of ['report', 'rebuild'] as const) {
    findings.length = 0;
    const { baseItems, unknown, unknownTypes } = await check(graph, { store, mode, graceMs: 1, onFinding });
    expect({ baseItems, unknown, unknownTypes }).toMatchObject({
      baseItems: 3,
      unknown: 1,
      unknownTypes: [{ type: 'OTHER', items: 1 }],
    });
    const unknownOf = findings.filter(({ verdict }) => verdict === 'unknown').map(({ source }) => source);
    expect(unknownOf).toEqual(['OTHER-1']);
  }
  const { unready } = await modelNotice(graph, store);
  expect(unready).toEqual(expect.arrayContaining([expect.stringMatching(/^search:USER.name is being built$/)]));
});
