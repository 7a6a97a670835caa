import { createReader, createWriter, defineGraph, node } from 'edgeloom';
import type { Example } from './example.ts';

const graph = defineGraph({
  table: 'customers',
  // Addresses are always read with their customer and never searched, and the list is limited to 20.
  nodes: { CUSTOMER: node({ view: 'ALL', maxEntries: { addresses: 20 } }) },
  edges: {},
});

/** Keeps the children in a list on the parent: one read, one write and no index, but a limited number. */
export const complexAttribute: Example = {
  title: 'complex attribute: a customer with a list of addresses',
  graph,
  async run({ store, projected }) {
    const writer = createWriter(graph, { store });
    const reader = createReader(graph, { store });
    const addresses = [{ city: 'Lisbon', street: 'Rua Augusta 1' }, { city: 'Porto' }];
    await writer.putNode('CUSTOMER-1', { name: 'Ines', addresses });
    await projected();
    const customer = await reader.getView('CUSTOMER-1');
    const tooMany = Array.from({ length: 21 }, (_, i) => ({ city: `City ${i}` }));
    const refusal = await writer.putNode('CUSTOMER-1', { name: 'Ines', addresses: tooMany }).then(
      () => 'taken',
      (error: Error) => error.message,
    );
    return { 'the customer': customer?.attributes, 'with 21 addresses': refusal };
  },
};
