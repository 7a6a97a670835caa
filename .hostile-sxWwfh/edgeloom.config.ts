import { defineGraph, edge, node } from 'edgeloom';
export default defineGraph({ table: 'test-7181-mx0tcxzz-2',
  nodes: { USER: node({ view: 'ALL', search: { name: {} } }) },
  edges: { FOLLOWS: edge({ from: 'USER', to: 'USER', edgeSet: ['note'], inbound: { orders: { gsi0: 'note' }, project: 'ALL' } }) } });