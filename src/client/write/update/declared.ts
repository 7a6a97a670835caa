import { typePrefix } from '../../../core/items/keys.ts';
import { AttributeOwners, type AttributeUse, attributeUses } from '../../../core/model/compile/attribute-uses.ts';
import type { CompiledModel, EdgeModel, NodeModel, PartModel } from '../../../core/model/compiled.ts';
import type { ItemKey } from '../../../core/store-port.ts';

interface Declared {
  type: NodeModel | EdgeModel | PartModel;
  key: ItemKey;
}

const found = new WeakMap<CompiledModel, { owners: AttributeOwners; uses: readonly AttributeUse[] }>();

/** Returns the attributes that the model's options name. Enumerating the attributes reads all of them. */
export function declaredAttributes(graph: CompiledModel, { type, key }: Declared): Set<string> {
  const { owners, uses } = usesIn(graph);
  const nodeType = typePrefix(key.source) ?? '';
  const part = 'searches' in type ? undefined : key.target;
  const [owner] = 'from' in type ? owners.edge(type.type) : owners.node(nodeType, part);
  return new Set(uses.filter((use) => use.owners.includes(owner!)).map(({ attribute }) => attribute));
}

function usesIn(graph: CompiledModel): { owners: AttributeOwners; uses: readonly AttributeUse[] } {
  const before = found.get(graph);
  if (before !== undefined) return before;
  const owners = new AttributeOwners(graph);
  const made = { owners, uses: attributeUses(graph, owners) };
  found.set(graph, made);
  return made;
}
