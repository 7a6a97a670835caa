import { typePrefix } from '../../../core/items/keys.ts';
import { AttributeOwners, attributeUses } from '../../../core/model/compile/attribute-uses.ts';
import type { CompiledModel, EdgeModel, NodeModel, PartModel } from '../../../core/model/compiled.ts';
import { oncePer } from '../../../core/model/compiled.ts';
import type { ItemKey } from '../../../core/store-port.ts';

interface Declared {
  type: NodeModel | EdgeModel | PartModel;
  key: ItemKey;
}

/**
 * Returns the attributes that the model's options name. An update that enumerates the attributes depends on all of
 * these, even on absent ones.
 */
export function declaredAttributes(graph: CompiledModel, { type, key }: Declared): Set<string> {
  const { owners, uses } = usesIn(graph);
  const nodeType = typePrefix(key.source) ?? '';
  const part = 'searches' in type ? undefined : key.target;
  const [owner] = 'from' in type ? owners.edge(type.type) : owners.node(nodeType, part);
  return new Set(uses.filter((use) => use.owners.includes(owner!)).map(({ attribute }) => attribute));
}

const usesIn = oncePer((graph: CompiledModel) => {
  const owners = new AttributeOwners(graph);
  return { owners, uses: attributeUses(graph, owners) };
});
