import type { CompiledModel } from '../../model/compiled.ts';
import { isJoinedEdge } from '../../model/joined.ts';

/** What a model makes its programs do beyond what every model does: each may need rights of its own. */
export interface Features {
  /** A node's change reaches others: an edge copies attributes of its target, or its index items use its source. */
  fanOuts: boolean;
  /** An edge copies attributes of its target. */
  copies: boolean;
  /** An edge type has an exact count. */
  degree: boolean;
  /** Views hold edges, so that one may outgrow its budget. */
  edgeSets: boolean;
  /** There are index items: of searches, inbound orders or owners. */
  indexItems: boolean;
}

/** The features of a model. */
export function featuresOf({ edges, nodes }: CompiledModel): Features {
  const edgeModels = [...edges.values()];
  return {
    fanOuts: edgeModels.some((edge) => edge.copy !== undefined || isJoinedEdge(edge)),
    copies: edgeModels.some(({ copy }) => copy !== undefined),
    degree: edgeModels.some(({ degree }) => degree),
    edgeSets: edgeModels.some(({ labels }) => labels !== undefined),
    indexItems:
      edgeModels.some(({ inbound }) => inbound !== undefined) ||
      [...nodes.values()].some(({ searches }) => searches.size > 0),
  };
}
