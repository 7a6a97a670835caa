import type { CompiledModel } from '../../model/compiled.ts';

/** What a model makes its programs do beyond what every model does: each may need rights of its own. */
export interface Features {
  /** An edge copies attributes of its target. */
  copies: boolean;
  /** There are index items: of searches, inbound orders or owners. */
  indexItems: boolean;
}

/** The features of a model. */
export function featuresOf({ edges, nodes }: CompiledModel): Features {
  const edgeModels = [...edges.values()];
  return {
    copies: edgeModels.some(({ copy }) => copy !== undefined),
    indexItems:
      edgeModels.some(({ inbound }) => inbound !== undefined) ||
      [...nodes.values()].some(({ searches }) => searches.size > 0),
  };
}
